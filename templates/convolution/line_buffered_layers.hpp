// line_buffered_layers.hpp - layers of line_buffered.hpp. Each takes what its kernel for whole
// images takes.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv2d_pool_nhwc.hpp"
#include "templates/convolution/depthwise_block_nhwc.hpp"
#include "templates/convolution/line_buffered.hpp"
#include "templates/elementwise/map.hpp"
#include "templates/movement/transpose_tile.hpp"
#include "templates/pooling/max_pool2d_int8_nhwc.hpp"
#include "templates/pooling/pool2d_nhwc.hpp"

namespace onnxc {

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

template <int MR, int NR, bool kBackwards, class S, class Epilogue>
void conv_pixels(const S& s, const float* x, const float* w, const float* bias, float* y,
                 const Epilogue& epilogue) {
  constexpr Index all = fixed_pixels<S>(), width = fixed_extent(&S::out_w);
  constexpr Index fixed = all > 0 ? pixels_at_once<MR, NR>(width) : -1;
  constexpr Index fixed_rest = all > 0 ? all % fixed : -1;
  const Index pixels = s.batch * s.out_h * s.out_w, step = pixels_at_once<MR, NR>(s.out_w);
  const Index whole = pixels / step, rest = pixels % step;
  const auto last = [&] {
    if (rest > 0)
      conv_some_pixels<MR, NR, fixed_rest>(s, x, w, bias, y, whole * step, rest, epilogue);
  };
  if (kBackwards) last();
  for (Index i = 0; i < whole; ++i)
    conv_some_pixels<MR, NR, fixed>(s, x, w, bias, y, (kBackwards ? whole - 1 - i : i) * step, step,
                                    epilogue);
  if (!kBackwards) last();
}

// One row of a convolution. x: the first of the rows r.in. y: the row.
template <int MR, int NR, class S, class Epilogue>
void conv_row(const S& s, const RowOfImage& r, const float* x, const float* w, const float* bias,
              float* y, const Epilogue& epilogue) {
  if constexpr (!has_known_window<S>) {
    if (is_pointwise(s))
      return pointwise_pixels<MR, NR, fixed_extent(&S::out_w)>(
          s, s.out_w, x, w, bias, y, output_pixels(s, r) * s.ld_epilogue, epilogue);
  }
  if constexpr (!is_known_pointwise<S>)
    conv_row_block<MR, NR>(s, x, PooledConv<Epilogue>{w, bias, epilogue}, r.in, {r.oh, r.oh + 1},
                           output_pixels(s, r), y);
}

template <int MR, int NR, class S, class X, class Epilogue>
struct LineBufferedConv : ConvLayer<S, X, float> {
  const float *w, *bias;
  Epilogue epilogue;
  void make(const RowOfImage& r, const float* from, float* to) const {
    conv_row<MR, NR>(static_cast<const S&>(*this), r, from, w, bias, to, epilogue);
  }
  // Outputs of one pixel need no rows: as many at a time as suit the tile.
  template <bool kBackwards>
  bool make_pixels() const {
    if constexpr (!has_known_window<S>) {
      const S& s = *this;
      if (is_pointwise(s)) {
        conv_pixels<MR, NR, kBackwards>(s, this->x, w, bias, this->y, epilogue);
        return true;
      }
    }
    return false;
  }
};
template <int MR, int NR, class S, class X, class Epilogue = NoEpilogue>
LineBufferedConv<MR, NR, S, X, Epilogue> conv2d_nhwc_line_buffered(S s, X* x, const float* w,
                                                                   const float* bias, float* y,
                                                                   Epilogue epilogue = {}) {
  return {{{s, x, y}}, w, bias, epilogue};
}

template <class S, class X, class Epilogue>
struct LineBufferedDepthwise : ConvLayer<S, X, float> {
  const float *w, *bias;
  Epilogue epilogue;
  void make(const RowOfImage& r, const float* from, float* to) const {
    const S& s = *this;
    filter_rows(s, from, BlockStage<Epilogue>{w, bias, epilogue}, r.in, {r.oh, r.oh + 1},
                r.n * s.out_h * s.out_w, to);
  }
};
template <class S, class X, class Epilogue = NoEpilogue>
LineBufferedDepthwise<S, X, Epilogue> depthwise_conv2d_nhwc_line_buffered(S s, X* x, const float* w,
                                                                          const float* bias,
                                                                          float* y,
                                                                          Epilogue epilogue = {}) {
  return {{{s, x, y}}, w, bias, epilogue};
}

template <class S, class X, class Epilogue>
struct LineBufferedMaxPool : PoolLayer<S, X, float> {
  Epilogue epilogue;
  void make(const RowOfImage& r, const float* from, float* to) const {
    const S& s = *this;
    max_pool2d_nhwc(OneRow<S>(s, r), from, to,
                    epilogue_from(epilogue, output_pixels(s, r) * s.channels));
  }
};
template <class S, class X, class Epilogue = NoEpilogue>
LineBufferedMaxPool<S, X, Epilogue> max_pool2d_nhwc_line_buffered(S s, X* x, float* y,
                                                                  Epilogue epilogue = {}) {
  return {{{s, x, y}}, epilogue};
}

template <class S, class X, class Y>
struct LineBufferedMaxPoolInt8 : PoolLayer<S, X, Y> {
  void make(const RowOfImage& r, const Y* from, Y* to) const {
    max_pool2d_int8_nhwc(OneRow<S>(*this, r), from, to);
  }
};
template <class S, class X, class Y>
LineBufferedMaxPoolInt8<S, X, Y> max_pool2d_int8_nhwc_line_buffered(S s, X* x, Y* y) {
  return {{{s, x, y}}};
}

// Where the caller's rows come from, and whether they still come.
template <class Source>
struct CallerRows {
  Source source;
  bool more;
};

// Has no input in memory.
template <class S, class Source, class Y>
struct LineBufferedSource : S {
  Y* y;
  CallerRows<Source>* rows;
  const Y* x;
  Index x_row() const { return 0; }
  Index y_row() const { return this->row; }
  void make(const RowOfImage& r, const Y*, Y* to) const {
    const auto row = static_cast<std::uint32_t>(r.oh);
    rows->more = rows->source.next_rows(rows->source.context, row, 1, to) == 0;
  }
};
template <class S, class Source, class Y>
LineBufferedSource<S, Source, Y> row_source(S s, CallerRows<Source>& rows, Y* y) {
  return {s, y, &rows, nullptr};
}

// From pixels of x that lie `pixel`, `plane` and `row` elements apart, from one to the next, from
// one channel to the next and from one row to the next.
template <class S, class X, class Y>
struct PixelLayer : Layer<S, X, Y> {
  Index x_row() const { return this->row; }
  Index y_row() const { return this->in_w * this->channels; }
};

// Planes to channels-last rows.
template <class S, class X, class Y>
struct LineBufferedReorder : PixelLayer<S, X, Y> {
  void make(const RowOfImage&, const Y* from, Y* to) const {
    transpose_tile(this->in_w, this->channels, from, this->plane, to, this->channels);
  }
};
template <class S, class X, class Y>
LineBufferedReorder<S, X, Y> reorder_line_buffered(S s, X* x, Y* y) {
  return {{{s, x, y}}};
}

// How `map` walks one row of the operands, of which the first is the image.
template <int kOperands>
struct RowWalk {
  Index dims[2], strides[2 * kOperands];
};

// As `map` of one operand, dense or of planes.
template <bool kVector, class S, class F, class X, class Y>
struct LineBufferedMap : PixelLayer<S, X, Y> {
  F f;
  void make(const RowOfImage&, const std::remove_const_t<X>* from, Y* to) const {
    const S& s = *this;
    map<2, kVector>(RowWalk<1>{{s.in_w, s.channels}, {s.pixel, s.plane}}, f, to, from);
  }
};
template <int kRank, bool kVector, class S, class F, class Y, class X>
LineBufferedMap<kVector, S, F, X, Y> map_line_buffered(S s, F f, Y* y, X* x) {
  return {{{s, x, y}}, f};
}

// The same with constants, which are the same for all pixels: run(walk, from, to) maps them, too.
template <int kOperands, class S, class Run, class X, class Y>
struct LineBufferedMapOfConstants : PixelLayer<S, X, Y> {
  Run run;
  void make(const RowOfImage&, const std::remove_const_t<X>* from, Y* to) const {
    const S& s = *this;
    RowWalk<kOperands> walk = {{s.in_w, s.channels}, {s.pixel, s.plane}};
    for (int i = 1; i < kOperands; ++i) walk.strides[2 * i + 1] = s.channel_strides[i - 1];
    run(walk, from, to);
  }
};
template <int kRank, bool kVector, class S, class F, class Y, class X, class... C>
auto map_line_buffered(S s, F f, Y* y, X* x, const C*... constants) {
  const auto run = [f, constants...](const auto& walk, const auto* from, Y* to) {
    map<2, kVector>(walk, f, to, from, constants...);
  };
  return LineBufferedMapOfConstants<1 + static_cast<int>(sizeof...(C)), S, decltype(run), X, Y>{
      {{s, x, y}}, run};
}

// To a single row of outputs.
template <class S, class X, class Y>
struct MeanLayer : Layer<S, X, Y> {
  Index x_row() const { return this->in_w * this->channels; }
  Index y_row() const { return 0; }
};

// Sums up row after row in the order of global_average_pool of channels-last images.
template <class S, class X, class Epilogue>
struct LineBufferedAverage : MeanLayer<S, X, float> {
  Epilogue epilogue;
  void make(const RowOfImage& r, const float* from, float* y) const {
    const S& s = *this;
    const auto count = static_cast<float>(s.in_h * s.in_w);
    for (Index c = 0; c < s.channels; ++c) {
      float total = r.oh == 0 ? from[c] : y[c] + from[c];
      for (Index p = 1; p < s.in_w; ++p) total = total + from[p * s.channels + c];
      y[c] = r.oh + 1 < s.in_h ? total : epilogue(total / count, c, c);
    }
  }
};
template <class S, class X, class Epilogue>
LineBufferedAverage<S, X, Epilogue> global_average_pool_line_buffered(S s, X* x, float* y,
                                                                      Epilogue epilogue) {
  return {{{s, x, y}}, epilogue};
}

// The same of global_average_pool_int8. sums: [channels].
template <class S, class X, class Y, class Epilogue>
struct LineBufferedAverageInt8 : MeanLayer<S, X, Y> {
  Epilogue epilogue;
  std::int32_t* sums;
  void make(const RowOfImage& r, const std::remove_const_t<X>* from, Y* y) const {
    const S& s = *this;
    const Index count = s.in_h * s.in_w;
    for (Index c = 0; c < s.channels; ++c) {
      // Index may not hold what the zeros add up to.
      const auto zeros = static_cast<std::int32_t>(count) * static_cast<std::int32_t>(s.zero);
      std::int32_t sum = r.oh == 0 ? -zeros : sums[c];
      for (Index p = 0; p < s.in_w; ++p) sum += from[p * s.channels + c];
      sums[c] = sum;
      if (r.oh + 1 < s.in_h) continue;
      const float mean = static_cast<float>(sum) * s.step / static_cast<float>(count);
      y[c] = static_cast<Y>(epilogue(mean, c, c));
    }
  }
};
template <class S, class X, class Y, class Epilogue>
LineBufferedAverageInt8<S, X, Y, Epilogue> global_average_pool_int8_line_buffered(
    S s, X* x, Y* y, Epilogue epilogue, std::int32_t* sums) {
  return {{{s, x, y}}, epilogue, sums};
}

}  // namespace onnxc
