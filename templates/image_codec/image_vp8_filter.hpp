// image_vp8_filter.hpp - the loop filter of VP8 (RFC 6386, section 15).
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_vp8_header.hpp"
#include "templates/image_codec/image_vp8_predict.hpp"

namespace onnxc {

namespace image::vp8 {

inline Filter filter_strength(const Decoder& d, const Block& b, bool has_residual) {
  Filter f;
  int level = d.filter_level;
  if (d.segmented) level = d.segment_filter[b.segment] + (d.absolute ? 0 : level);
  if (d.filter_deltas) level += d.frame_delta + (b.has_subblock_modes ? d.subblock_delta : 0);
  level = level < 0 ? 0 : level > 63 ? 63 : level;
  if (level == 0) return f;
  int inner = level;
  if (d.sharpness > 0) {
    inner >>= d.sharpness > 4 ? 2 : 1;
    if (inner > 9 - d.sharpness) inner = 9 - d.sharpness;
  }
  f.inner_limit = inner < 1 ? 1 : inner;
  f.limit = 2 * level + f.inner_limit;
  f.edge_threshold = level >= 40 ? 2 : level >= 15 ? 1 : 0;
  f.inner = b.has_subblock_modes || has_residual;
  return f;
}

inline int magnitude(int v) { return v < 0 ? -v : v; }
inline int clamp_to(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

// Filters across an edge at p: changes two pixels, or four without outer_taps.
inline void filter_two_or_four(std::uint8_t* p, Index step, bool outer_taps) {
  const int p1 = p[-2 * step], p0 = p[-step], q0 = p[0], q1 = p[step];
  const int a = 3 * (q0 - p0) + (outer_taps ? clamp_to(p1 - q1, -128, 127) : 0);
  const int a1 = clamp_to((a + 4) >> 3, -16, 15), a2 = clamp_to((a + 3) >> 3, -16, 15);
  p[-step] = to_byte(p0 + a2);
  p[0] = to_byte(q0 - a1);
  if (outer_taps) return;
  const int a3 = (a1 + 1) >> 1;
  p[-2 * step] = to_byte(p1 + a3);
  p[step] = to_byte(q1 - a3);
}

inline void filter_six(std::uint8_t* p, Index step) {
  const int p2 = p[-3 * step], p1 = p[-2 * step], p0 = p[-step];
  const int q0 = p[0], q1 = p[step], q2 = p[2 * step];
  const int a = clamp_to(3 * (q0 - p0) + clamp_to(p1 - q1, -128, 127), -128, 127);
  const int a1 = (27 * a + 63) >> 7, a2 = (18 * a + 63) >> 7, a3 = (9 * a + 63) >> 7;
  p[-3 * step] = to_byte(p2 + a3);
  p[-2 * step] = to_byte(p1 + a2);
  p[-step] = to_byte(p0 + a1);
  p[0] = to_byte(q0 - a1);
  p[step] = to_byte(q1 - a2);
  p[2 * step] = to_byte(q2 - a3);
}

inline bool is_smooth(const std::uint8_t* p, Index step, int limit) {
  const int p1 = p[-2 * step], p0 = p[-step], q0 = p[0], q1 = p[step];
  return 4 * magnitude(p0 - q0) + magnitude(p1 - q1) <= limit;
}

// Strides: step across the edge, along to its next pixel. whole: an edge of the macroblock.
inline void filter_edge(std::uint8_t* p, Index step, Index along, Index count, int limit,
                        const Filter& f, bool simple, bool whole) {
  const int edge_limit = 2 * limit + 1, inside = f.inner_limit;
  for (Index i = 0; i < count; ++i, p += along) {
    if (!is_smooth(p, step, edge_limit)) continue;
    if (simple) {
      filter_two_or_four(p, step, true);
      continue;
    }
    bool even = true;
    for (Index k = -4; k < 3; ++k)
      even = even && (k == -1 || magnitude(p[k * step] - p[(k + 1) * step]) <= inside);
    if (!even) continue;
    if (magnitude(p[-2 * step] - p[-step]) > f.edge_threshold ||
        magnitude(p[step] - p[0]) > f.edge_threshold) {
      filter_two_or_four(p, step, true);
    } else if (whole) {
      filter_six(p, step);
    } else {
      filter_two_or_four(p, step, false);
    }
  }
}

inline void filter_block(const Decoder& d, Index by, Index bx) {
  const Filter& f = d.filter[by * d.macroblocks_x + bx];
  if (f.limit == 0) return;
  const bool simple = d.simple_filter;
  for (int c = 0; c < (simple ? 1 : 3); ++c) {
    const Plane& plane = d.plane[c];
    const Index size = c == 0 ? 16 : 8, stride = plane.stride;
    std::uint8_t* const p = plane.at(size * by, size * bx);
    if (bx > 0) filter_edge(p, 1, stride, size, f.limit + 4, f, simple, true);
    for (Index i = 4; f.inner && i < size; i += 4)
      filter_edge(p + i, 1, stride, size, f.limit, f, simple, false);
    if (by > 0) filter_edge(p, stride, 1, size, f.limit + 4, f, simple, true);
    for (Index i = 4; f.inner && i < size; i += 4)
      filter_edge(p + i * stride, stride, 1, size, f.limit, f, simple, false);
  }
}

}  // namespace image::vp8

}  // namespace onnxc
