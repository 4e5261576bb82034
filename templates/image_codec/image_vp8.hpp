// image_vp8.hpp - a VP8 key frame (RFC 6386), the lossy half of WebP.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_vp8_blocks.hpp"
#include "templates/image_codec/image_vp8_filter.hpp"
#include "templates/image_codec/image_vp8_header.hpp"
#include "templates/image_codec/image_vp8_predict.hpp"

namespace onnxc {

namespace image::vp8 {

template <class Memory>
bool make_plane(Plane& plane, Index height, Index width, Memory& memory) {
  constexpr Index before = 1, after = 4;
  plane.stride = before + width + after;
  std::uint8_t* const all = take<std::uint8_t>(memory, (height + 1) * plane.stride);
  if (all == nullptr) return false;
  std::memset(all, 127, static_cast<std::size_t>(plane.stride));
  plane.pixels = all + plane.stride + before;
  for (Index y = 0; y < height; ++y) *plane.at(y, -1) = 129;
  return true;
}

template <class Memory>
Status make_room(Decoder& d, Memory& memory) {
  const Index blocks = d.macroblocks_x * d.macroblocks_y;
  bool good = true;
  for (int c = 0; c < 3; ++c) {
    const Index size = c == 0 ? 16 : 8;
    good = good && make_plane(d.plane[c], size * d.macroblocks_y, size * d.macroblocks_x, memory);
  }
  d.filter = take<Filter>(memory, blocks);
  d.top_mode = take_zeroed<std::uint8_t>(memory, 4 * d.macroblocks_x);
  d.top_nonzero = take_zeroed<std::uint8_t>(memory, 9 * d.macroblocks_x);
  good = good && d.filter != nullptr && d.top_mode != nullptr && d.top_nonzero != nullptr;
  return good ? Status::ok : Status::out_of_memory;
}

inline bool decode_blocks(Decoder& d) {
  for (Index y = 0; y < d.macroblocks_y; ++y) {
    BoolReader& in = d.partition[y % d.partitions];
    std::memset(d.left_mode, dc, sizeof d.left_mode);
    std::memset(d.left_nonzero, 0, sizeof d.left_nonzero);
    for (Index x = 0; x < d.macroblocks_x; ++x) {
      read_modes(d, x);
      bool has_residual = false;
      if (d.block.skip) {
        skip_coefficients(d, x);
        std::memset(d.block.coefficients, 0, sizeof d.block.coefficients);
      } else {
        has_residual = read_coefficients(d, in, x);
      }
      if (in.failed || d.header.failed) return false;
      d.filter[y * d.macroblocks_x + x] = filter_strength(d, d.block, has_residual);
      reconstruct(d, y, x);
    }
  }
  // Prediction reads unfiltered pixels, so the filter runs at the end.
  for (Index y = 0; d.filter_level != 0 && y < d.macroblocks_y; ++y)
    for (Index x = 0; x < d.macroblocks_x; ++x) filter_block(d, y, x);
  return true;
}

// A chroma sample upsampled to luma resolution from its four neighbours, weights 9, 3, 3, 1.
inline int chroma_at(const Plane& plane, Index y, Index far_y, Index x, Index far_x) {
  const int v = 9 * *plane.at(y, x) + 3 * *plane.at(far_y, x) + 3 * *plane.at(y, far_x) +
                *plane.at(far_y, far_x) + 8;
  return v >> 4;
}

inline Index neighbour(Index i, Index count) {
  const Index far = i % 2 == 0 ? i / 2 - 1 : i / 2 + 1;
  return far < 0 || far >= count ? i / 2 : far;
}

// Writes the frame at (top, left) of the sink, clipped to it.
inline void put_pixels(const Decoder& d, const Sink& out, Index top, Index left) {
  const Index chroma_h = (d.extents.height + 1) / 2, chroma_w = (d.extents.width + 1) / 2;
  const auto channel = [](int v) { return to_byte(v >> 6); };
  for (Index y = 0; y < d.extents.height; ++y)
    for (Index x = 0; x < d.extents.width; ++x) {
      if (!out.inside(top + y, left + x)) continue;
      const Index far_y = neighbour(y, chroma_h), far_x = neighbour(x, chroma_w);
      const int luma = (*d.plane[0].at(y, x) * 19077) >> 8;
      const int u = chroma_at(d.plane[1], y / 2, far_y, x / 2, far_x);
      const int v = chroma_at(d.plane[2], y / 2, far_y, x / 2, far_x);
      out.rgb(top + y, left + x, channel(luma + ((v * 26149) >> 8) - 14234),
              channel(luma - ((u * 6419) >> 8) - ((v * 13320) >> 8) + 8708),
              channel(luma + ((u * 33050) >> 8) - 17685));
    }
}

template <class Memory>
Status decode(const Bytes& in, const Sink& out, Index top, Index left, Memory& memory) {
  Decoder* const d = make<Decoder>(memory);
  if (d == nullptr) return Status::out_of_memory;
  if (!read_header(*d, in)) return Status::bad_value;
  const Status status = make_room(*d, memory);
  if (status != Status::ok) return status;
  if (!decode_blocks(*d)) return Status::bad_value;
  put_pixels(*d, out, top, left);
  return Status::ok;
}

}  // namespace image::vp8

}  // namespace onnxc
