// image_vp8_predict.hpp - intra prediction (RFC 6386, section 12) and the inverse transform
// (section 14) of VP8.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_vp8_header.hpp"

namespace onnxc {

namespace image::vp8 {

inline std::uint8_t to_byte(std::int64_t v) {
  return static_cast<std::uint8_t>(v < 0 ? 0 : v > 255 ? 255 : v);
}

inline void add_inverse_dct(const std::int16_t* in, std::uint8_t* out, Index stride) {
  // 64 bits, so that hostile coefficients do not overflow.
  using Wide = std::int64_t;
  const auto by_1 = [](Wide v) { return ((v * 20091) >> 16) + v; };
  const auto by_2 = [](Wide v) { return (v * 35468) >> 16; };
  Wide t[16];
  for (int i = 0; i < 4; ++i) {
    const Wide a = in[i] + in[8 + i], b = in[i] - in[8 + i];
    const Wide c = by_2(in[4 + i]) - by_1(in[12 + i]), e = by_1(in[4 + i]) + by_2(in[12 + i]);
    t[4 * i] = a + e, t[4 * i + 1] = b + c, t[4 * i + 2] = b - c, t[4 * i + 3] = a - e;
  }
  for (int i = 0; i < 4; ++i) {
    const Wide a = t[i] + 4 + t[8 + i], b = t[i] + 4 - t[8 + i];
    const Wide c = by_2(t[4 + i]) - by_1(t[12 + i]), e = by_1(t[4 + i]) + by_2(t[12 + i]);
    std::uint8_t* const row = out + i * stride;
    row[0] = to_byte(row[0] + ((a + e) >> 3));
    row[1] = to_byte(row[1] + ((b + c) >> 3));
    row[2] = to_byte(row[2] + ((b - c) >> 3));
    row[3] = to_byte(row[3] + ((a - e) >> 3));
  }
}

inline void add_block(const std::int16_t* in, std::uint8_t* out, Index stride) {
  bool any = false;
  for (int i = 0; i < 16; ++i) any = any || in[i] != 0;
  if (any) add_inverse_dct(in, out, stride);
}

// Predicts a luma or chroma macroblock from the row above and the column to the left.
inline void predict(std::uint8_t* p, Index stride, Index size, int mode, bool has_top,
                    bool has_left) {
  const std::uint8_t* const top = p - stride;
  const int corner = top[-1];
  int sum = 0, average = 128;
  if (mode == dc && (has_top || has_left)) {
    for (Index i = 0; i < size; ++i)
      sum += (has_top ? top[i] : 0) + (has_left ? p[i * stride - 1] : 0);
    const int count = static_cast<int>(size) * (has_top && has_left ? 2 : 1);
    average = (sum + count / 2) / count;
  }
  for (Index y = 0; y < size; ++y) {
    std::uint8_t* const row = p + y * stride;
    const int left = row[-1];
    for (Index x = 0; x < size; ++x) {
      const int v = mode == ve   ? top[x]
                    : mode == he ? left
                    : mode == tm ? to_byte(left + top[x] - corner)
                                 : average;
      row[x] = static_cast<std::uint8_t>(v);
    }
  }
}

// Predicts a pixel of a 4x4 block. edge: the pixels that border the block, from the lower left over
// the corner (edge[5]) to the upper right; the first and the last are repeated.
inline int predict_subblock_pixel(const std::uint8_t* edge, int mode, int x, int y) {
  const auto two = [edge](int i) { return (edge[i] + edge[i + 1] + 1) >> 1; };
  const auto three = [edge](int i) { return (edge[i - 1] + 2 * edge[i] + edge[i + 1] + 2) >> 2; };
  // Directions between a diagonal and an axis alternate between two and three taps.
  const auto either = [&](bool even, int i, int j) { return even ? two(i) : three(j); };
  const int right = x - y / 2, down = y - x / 2, up = y + x / 2;
  switch (mode) {
    case tm:
      return to_byte(edge[4 - y] + edge[6 + x] - edge[5]);
    case ve:
      return three(6 + x);
    case he:
      return three(4 - y);
    case rd:
      return three(5 + x - y);
    case ld:
      return three(7 + x + y);
    case vr:
      return right < 0 ? three(6 - y) : either(y % 2 == 0, 5 + right, 5 + right);
    case vl:
      if (x == 3 && y >= 2) return three(9 + y);
      return either(y % 2 == 0, 6 + x + y / 2, 7 + x + y / 2);
    case hd:
      return down < 0 ? three(4 + x) : either(x % 2 == 0, 4 - down, 5 - down);
    case hu:
      return up > 2 ? edge[1] : either(x % 2 == 0, 3 - up, 3 - up);
    default:
      break;
  }
  int sum = 4;
  for (int i = 1; i <= 4; ++i) sum += edge[i] + edge[5 + i];
  return sum >> 3;
}

inline void predict_subblocks(const Decoder& d, Index by, Index bx) {
  const Plane& y_plane = d.plane[0];
  // Pixels above and to the right; the lower rows of blocks use them as well.
  std::uint8_t beyond[4];
  const std::uint8_t* const above = y_plane.at(16 * by - 1, 16 * bx);
  for (int i = 0; i < 4; ++i)
    beyond[i] = by > 0 && bx == d.macroblocks_x - 1 ? above[15] : above[16 + i];
  for (int n = 0; n < 16; ++n) {
    std::uint8_t* const p = y_plane.at(16 * by + n / 4 * 4, 16 * bx + n % 4 * 4);
    const std::uint8_t* const top = p - y_plane.stride;
    std::uint8_t edge[15];
    for (Index i = 0; i < 4; ++i) edge[4 - i] = p[i * y_plane.stride - 1];
    edge[0] = edge[1];
    edge[5] = top[-1];
    for (int i = 0; i < 4; ++i) edge[6 + i] = top[i];
    for (int i = 0; i < 4; ++i) edge[10 + i] = n % 4 == 3 ? beyond[i] : top[4 + i];
    edge[14] = edge[13];
    for (int i = 0; i < 16; ++i)
      p[i / 4 * y_plane.stride + i % 4] =
          static_cast<std::uint8_t>(predict_subblock_pixel(edge, d.block.mode[n], i % 4, i / 4));
    add_block(d.block.coefficients + 16 * n, p, y_plane.stride);
  }
}

inline void reconstruct(const Decoder& d, Index by, Index bx) {
  const Block& b = d.block;
  if (b.has_subblock_modes) {
    predict_subblocks(d, by, bx);
  } else {
    const Plane& luma = d.plane[0];
    predict(luma.at(16 * by, 16 * bx), luma.stride, 16, b.mode[0], by > 0, bx > 0);
    for (int n = 0; n < 16; ++n)
      add_block(b.coefficients + 16 * n, luma.at(16 * by + n / 4 * 4, 16 * bx + n % 4 * 4),
                luma.stride);
  }
  for (int c = 1; c < 3; ++c) {
    const Plane& chroma = d.plane[c];
    predict(chroma.at(8 * by, 8 * bx), chroma.stride, 8, b.chroma, by > 0, bx > 0);
    for (int n = 0; n < 4; ++n)
      add_block(b.coefficients + (12 + 4 * c + n) * 16,
                chroma.at(8 * by + n / 2 * 4, 8 * bx + n % 2 * 4), chroma.stride);
  }
}

}  // namespace image::vp8

}  // namespace onnxc
