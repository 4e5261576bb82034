// image_vp8_header.hpp - the boolean decoder of VP8 (RFC 6386, section 7) and the header of a key
// frame (sections 9 and 19.2).
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_vp8_tables.hpp"

namespace onnxc {

namespace image::vp8 {

// The boolean entropy decoder.
struct BoolReader {
  Bytes in{nullptr, 0};
  Index at = 0;
  std::uint64_t value = 0;
  std::uint32_t range = 255;
  int held = -8;  // bits of value below the eight in use
  bool failed = false;

  void fill() {
    while (held < 0) {
      failed = failed || at >= in.size;
      value = value << 8 | in.u8(at++);
      held += 8;
    }
  }
  int bit(std::uint32_t probability) {
    if (held < 0) fill();
    const std::uint32_t split = 1 + (((range - 1) * probability) >> 8);
    const std::uint64_t edge = std::uint64_t{split} << held;
    const bool one = value >= edge;
    if (one) value -= edge;
    range = one ? range - split : split;
    for (; range < 128; range <<= 1) --held;
    return one ? 1 : 0;
  }
  int literal(int bits) {
    int v = 0;
    for (; bits > 0; --bits) v = 2 * v + bit(128);
    return v;
  }
  int signed_literal(int bits) {
    const int v = literal(bits);
    return bit(128) != 0 ? -v : v;
  }
  int optional_literal(int bits) { return bit(128) != 0 ? signed_literal(bits) : 0; }
};

struct Quantizer {
  int y1[2], y2[2], uv[2];  // steps of the DC and of the AC coefficients
};

struct Filter {
  int limit = 0, inner_limit = 0, edge_threshold = 0;
  bool inner = false;
};

// A plane with the border that prediction reads: a row above, a column to the left, and pixels
// above and to the right of the last block.
struct Plane {
  std::uint8_t* pixels = nullptr;  // at (0, 0)
  Index stride = 0;
  std::uint8_t* at(Index y, Index x) const { return pixels + y * stride + x; }
};

enum Mode : std::uint8_t { dc, tm, ve, he, rd, vr, ld, vl, hd, hu };

struct Block {
  bool has_subblock_modes = false;  // each 4x4 block has its own mode
  std::uint8_t mode[16], chroma = 0, segment = 0;
  bool skip = false;
  std::int16_t coefficients[25 * 16];
};

struct Decoder {
  Extents extents;
  Index macroblocks_x = 0, macroblocks_y = 0;
  BoolReader header, partition[8];
  int partitions = 1;

  bool segmented = false, segment_map = false, absolute = true;
  int segment_step[4] = {}, segment_filter[4] = {};
  std::uint32_t segment_probability[3] = {255, 255, 255};
  bool simple_filter = false, filter_deltas = false;
  int filter_level = 0, sharpness = 0, frame_delta = 0, subblock_delta = 0;
  Quantizer quantizer[4];
  std::uint8_t probabilities[kChances];
  bool skips = false;
  std::uint32_t skip_probability = 0;

  // Neighbours of the current macroblock, above and to the left: modes of 4x4 blocks, and whether
  // blocks had coefficients (4 luma, 2 and 2 chroma, 1 Y2).
  std::uint8_t *top_mode = nullptr, *top_nonzero = nullptr;
  std::uint8_t left_mode[4], left_nonzero[9];
  Filter* filter = nullptr;  // by macroblock
  Plane plane[3];
  Block block;
};

// in: the frame.
inline bool read_extents(const Bytes& in, Extents& extents) {
  if (!in.matches(3, "\x9D\x01\x2A", 3) || !in.has(0, 10)) return false;
  const std::uint32_t tag = in.u8(0);
  // A visible key frame of a known profile.
  if ((tag & 1U) != 0 || (tag >> 1 & 7U) > 3 || (tag >> 4 & 1U) == 0) return false;
  extents = {static_cast<Index>(in.le16(8) & 0x3FFFU), static_cast<Index>(in.le16(6) & 0x3FFFU)};
  return is_sensible(extents.height, extents.width);
}

inline void read_segments(Decoder& d) {
  BoolReader& in = d.header;
  d.segmented = in.bit(128) != 0;
  if (!d.segmented) return;
  d.segment_map = in.bit(128) != 0;
  if (in.bit(128) != 0) {
    d.absolute = in.bit(128) != 0;
    for (int& step : d.segment_step) step = in.optional_literal(7);
    for (int& level : d.segment_filter) level = in.optional_literal(6);
  }
  if (!d.segment_map) return;
  for (std::uint32_t& probability : d.segment_probability)
    probability = in.bit(128) != 0 ? static_cast<std::uint32_t>(in.literal(8)) : 255U;
}

inline void read_filter(Decoder& d) {
  BoolReader& in = d.header;
  d.simple_filter = in.bit(128) != 0;
  d.filter_level = in.literal(6);
  d.sharpness = in.literal(3);
  d.filter_deltas = in.bit(128) != 0;
  if (!d.filter_deltas || in.bit(128) == 0) return;
  int delta[8] = {};
  for (int& v : delta) v = in.optional_literal(6);
  d.frame_delta = delta[0];
  d.subblock_delta = delta[4];
}

// rest: what follows the first partition.
inline bool read_partitions(Decoder& d, const Bytes& rest) {
  d.partitions = 1 << d.header.literal(2);
  Index at = 3 * (d.partitions - 1);
  if (!rest.has(0, at)) return false;
  for (int p = 0; p < d.partitions; ++p) {
    const Index size_at = 3 * p, left = rest.size - at;
    auto size = static_cast<Index>(rest.le16(size_at) | rest.u8(size_at + 2) << 16);
    if (p == d.partitions - 1 || size > left) size = left;
    d.partition[p].in = rest.part(at, size);
    at += size;
  }
  return d.partition[d.partitions - 1].in.size > 0;
}

inline int clamp_step(int index, int most) { return index < 0 ? 0 : index > most ? most : index; }

inline void read_quantizers(Decoder& d) {
  BoolReader& in = d.header;
  const int base = in.literal(7);
  const int y1_dc = in.optional_literal(4), y2_dc = in.optional_literal(4);
  const int y2_ac = in.optional_literal(4), uv_dc = in.optional_literal(4);
  const int uv_ac = in.optional_literal(4);
  for (int s = 0; s < 4; ++s) {
    int index = base;
    if (d.segmented) index = d.segment_step[s] + (d.absolute ? 0 : base);
    Quantizer& q = d.quantizer[s];
    q.y1[0] = kDcStep[clamp_step(index + y1_dc, 127)];
    q.y1[1] = kAcStep[clamp_step(index, 127)];
    q.y2[0] = kDcStep[clamp_step(index + y2_dc, 127)] * 2;
    q.y2[1] = kAcStep[clamp_step(index + y2_ac, 127)] * 155 / 100;
    if (q.y2[1] < 8) q.y2[1] = 8;
    q.uv[0] = kDcStep[clamp_step(index + uv_dc, 117)];
    q.uv[1] = kAcStep[clamp_step(index + uv_ac, 127)];
  }
}

inline bool read_header(Decoder& d, const Bytes& in) {
  if (!read_extents(in, d.extents)) return false;
  const auto first = static_cast<Index>((in.le16(0) | in.u8(2) << 16) >> 5);
  if (!in.has(10, first)) return false;
  d.macroblocks_x = (d.extents.width + 15) / 16;
  d.macroblocks_y = (d.extents.height + 15) / 16;
  d.header.in = in.part(10, first);
  d.header.literal(2);  // color space and clamping type, unused
  read_segments(d);
  read_filter(d);
  if (d.header.failed || !read_partitions(d, in.part(10 + first, in.size - 10 - first)))
    return false;
  read_quantizers(d);
  d.header.bit(128);  // refresh_entropy_probs, unused
  for (int i = 0; i < kChances; ++i)
    d.probabilities[i] = d.header.bit(kUpdateChances[i]) != 0
                             ? static_cast<std::uint8_t>(d.header.literal(8))
                             : kTokenChances[i];
  d.skips = d.header.bit(128) != 0;
  if (d.skips) d.skip_probability = static_cast<std::uint32_t>(d.header.literal(8));
  return !d.header.failed;
}

}  // namespace image::vp8

}  // namespace onnxc
