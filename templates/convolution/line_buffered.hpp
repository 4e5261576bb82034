// line_buffered.hpp - line-buffered convolutions and pools: they finish one row of outputs before
// the next, so that the output may overlap the input that it replaces.
//
// Rows go from the first to the last, or the other way if `backwards`. The first of the rows that
// are not finished reads no input row before the one where its window begins; so whatever is before
// that row may hold results already. The values are those of the kernels for whole images. Nothing
// here is divided among threads.
#pragma once

#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv2d_pool_nhwc.hpp"
#include "templates/convolution/depthwise_block_nhwc.hpp"
#include "templates/convolution/row_blocks.hpp"
#include "templates/pooling/max_pool2d_int8_nhwc.hpp"
#include "templates/pooling/pool2d_nhwc.hpp"

namespace onnxc {

// One row of outputs: number `oh` of image `n`, from the rows `in` of the image.
struct RowOfImage {
  Index n, oh;
  Span in;
};

// Calls row(r) for every row of outputs. s: batch, out_h, the members of rows_read, and backwards.
template <class S, class Row>
void each_row(const S& s, Row row) {
  const Index rows = s.batch * s.out_h;
  for (Index i = 0; i < rows; ++i) {
    const Index at = s.backwards ? rows - 1 - i : i;
    const Index oh = at % s.out_h;
    row(RowOfImage{at / s.out_h, oh, rows_read(s, {oh, oh + 1})});
  }
}

// The shape of one row, as that of an image with as many rows as it reads.
template <class S>
struct OneRow : S {
  static constexpr Index batch = 1, out_h = 1;
  Index in_h, pad_top;
  constexpr OneRow(const S& s, const RowOfImage& r)
      : S(s), in_h(r.in.size()), pad_top(r.in.begin - (r.oh * s.stride_h - s.pad_top)) {}
};

// The epilogue of a row whose first output is number `first`.
template <class Epilogue>
auto epilogue_from(const Epilogue& epilogue, Index first) {
  // Without operands of its own it does not ask for the place.
  if constexpr (std::is_empty_v<Epilogue>) {
    static_cast<void>(first);
    return epilogue;
  } else {
    return [epilogue, first](auto v, Index at, Index channel) {
      return epilogue(v, first + at, channel);
    };
  }
}

// Pixels before the first one of x that a row reads, and before the first one of y.
template <class S>
constexpr Index input_pixels(const S& s, const RowOfImage& r) {
  return (r.n * s.in_h + r.in.begin) * s.in_w;
}
template <class S>
constexpr Index output_pixels(const S& s, const RowOfImage& r) {
  return (r.n * s.out_h + r.oh) * s.out_w;
}

// Pixels at a time of a convolution that reads one pixel for each output: as many whole tiles as a
// row has.
template <int MR, int NR>
constexpr Index pixels_at_once(Index width) {
  constexpr Index tile = tile_rows<MR, NR>;
  return width < tile ? width : width / tile * tile;
}

// FixedM: `count` as a constant or -1.
template <int MR, int NR, Index FixedM, class S, class Epilogue>
void conv_some_pixels(const S& s, const float* x, const float* w, const float* bias, float* y,
                      Index first, Index count, const Epilogue& epilogue) {
  pointwise_pixels<MR, NR, FixedM>(s, count, x + first * s.ldx, w, bias, y + first * s.ldy,
                                   first * s.ld_epilogue, epilogue);
}

template <int MR, int NR, class S, class Epilogue>
void conv_pixels_line_buffered(const S& s, const float* x, const float* w, const float* bias,
                               float* y, const Epilogue& epilogue) {
  constexpr Index all = fixed_pixels<S>(), width = fixed_extent(&S::out_w);
  constexpr Index fixed = all > 0 ? pixels_at_once<MR, NR>(width) : -1;
  constexpr Index fixed_rest = all > 0 ? all % fixed : -1;
  const Index pixels = s.batch * s.out_h * s.out_w, step = pixels_at_once<MR, NR>(s.out_w);
  const Index whole = pixels / step, rest = pixels % step;
  const auto last = [&] {
    if (rest > 0)
      conv_some_pixels<MR, NR, fixed_rest>(s, x, w, bias, y, whole * step, rest, epilogue);
  };
  if (s.backwards) last();
  for (Index i = 0; i < whole; ++i)
    conv_some_pixels<MR, NR, fixed>(s, x, w, bias, y, (s.backwards ? whole - 1 - i : i) * step,
                                    step, epilogue);
  if (!s.backwards) last();
}

// What the members that S fixes say of the window: that it is more than one pixel, or just one.
template <class S>
constexpr bool has_known_window = fixed_extent(&S::k_h) > 1 || fixed_extent(&S::k_w) > 1 ||
                                  fixed_extent(&S::stride_h) > 1;
template <class S>
constexpr bool is_known_pointwise = fixed_extent(&S::k_h) == 1 && fixed_extent(&S::k_w) == 1 &&
                                    fixed_extent(&S::stride_h) == 1 &&
                                    fixed_extent(&S::stride_w) == 1 &&
                                    fixed_extent(&S::pad_top) == 0 &&
                                    fixed_extent(&S::pad_left) == 0 &&
                                    fixed_extent(&S::in_h) == fixed_extent(&S::out_h) &&
                                    fixed_extent(&S::in_w) == fixed_extent(&S::out_w) &&
                                    fixed_extent(&S::in_h) >= 0;

// One row of a convolution with a window. x: the first of the rows r.in. y: the row.
template <int MR, int NR, class S, class Epilogue>
void conv_window_row(const S& s, const RowOfImage& r, const float* x, const float* w,
                     const float* bias, float* y, const Epilogue& epilogue) {
  conv_row_block<MR, NR>(s, x, PooledConv<Epilogue>{w, bias, epilogue}, r.in, {r.oh, r.oh + 1},
                         output_pixels(s, r), y);
}

// The same of any convolution.
template <int MR, int NR, class S, class Epilogue>
void conv_row(const S& s, const RowOfImage& r, const float* x, const float* w, const float* bias,
              float* y, const Epilogue& epilogue) {
  if constexpr (!has_known_window<S>) {
    if (is_pointwise(s))
      return pointwise_pixels<MR, NR, fixed_extent(&S::out_w)>(
          s, s.out_w, x, w, bias, y, output_pixels(s, r) * s.ld_epilogue, epilogue);
  }
  if constexpr (!is_known_pointwise<S>) conv_window_row<MR, NR>(s, r, x, w, bias, y, epilogue);
}

// Everything as for conv2d_nhwc; s: also backwards.
template <int MR, int NR, class S, class Epilogue = NoEpilogue>
void conv2d_nhwc_line_buffered(S s, const float* x, const float* w, const float* bias, float* y,
                               Epilogue epilogue = {}) {
  if constexpr (!has_known_window<S>) {
    if (is_pointwise(s)) return conv_pixels_line_buffered<MR, NR>(s, x, w, bias, y, epilogue);
  }
  if constexpr (!is_known_pointwise<S>) {
    each_row(s, [&](const RowOfImage& r) {
      conv_window_row<MR, NR>(s, r, x + input_pixels(s, r) * s.ldx, w, bias,
                              y + output_pixels(s, r) * s.ldy, epilogue);
    });
  }
}

// Everything as for depthwise_conv2d_nhwc, with out_c = in_c; s: also backwards.
template <class S, class Epilogue = NoEpilogue>
void depthwise_conv2d_nhwc_line_buffered(S s, const float* x, const float* w, const float* bias,
                                         float* y, Epilogue epilogue = {}) {
  const BlockStage<Epilogue> stage = {w, bias, epilogue};
  each_row(s, [&](const RowOfImage& r) {
    filter_rows(s, x + input_pixels(s, r) * s.in_c, stage, r.in, {r.oh, r.oh + 1},
                r.n * s.out_h * s.out_w, y + output_pixels(s, r) * s.out_c);
  });
}

// Everything as for max_pool2d_nhwc; s: also backwards.
template <class S, class Epilogue = NoEpilogue>
void max_pool2d_nhwc_line_buffered(S s, const float* x, float* y, Epilogue epilogue = {}) {
  each_row(s, [&](const RowOfImage& r) {
    const Index first = output_pixels(s, r);
    max_pool2d_nhwc(OneRow<S>(s, r), x + input_pixels(s, r) * s.ldx, y + first * s.ldy,
                    epilogue_from(epilogue, first * s.channels));
  });
}

// Everything as for max_pool2d_int8_nhwc; s: also backwards.
template <class S, class T>
void max_pool2d_int8_nhwc_line_buffered(S s, const T* x, T* y) {
  each_row(s, [&](const RowOfImage& r) {
    max_pool2d_int8_nhwc(OneRow<S>(s, r), x + input_pixels(s, r) * s.channels,
                         y + output_pixels(s, r) * s.channels);
  });
}

}  // namespace onnxc
