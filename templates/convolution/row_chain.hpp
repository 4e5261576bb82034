// row_chain.hpp - layers that run together, row by row: of the images between them only those rows
// exist that the next layer still reads.
//
// A layer makes a row of outputs as soon as the rows of its window are there; what it no longer
// needs is dropped, and the rest moves to the front of its memory. So no row is computed twice, and
// the values are those of the kernels for whole images. One image; nothing is divided among
// threads. The windows reach at least from one row of outputs to the next.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/int8_line_buffered.hpp"
#include "templates/convolution/line_buffered.hpp"
#include "templates/elementwise/map.hpp"
#include "templates/movement/transpose_tile.hpp"
#include "templates/pooling/max_pool2d_int8_nhwc.hpp"
#include "templates/pooling/pool2d_nhwc.hpp"

namespace onnxc {

// The layers of a chain. make(r, from, to) computes one row: from the first of the rows r.in of the
// input, to a row of outputs. x: the input of the first layer, else memory for the rows that the
// layer reads; y: the output of the last layer, else x of the next. x_row, y_row: elements of a
// row.
template <class S, class X, class Y>
struct ConvLayer : S {
  X* x;
  Y* y;
  Index x_row() const { return this->in_w * this->in_c; }
  Index y_row() const { return this->out_w * this->out_c; }
};

template <class S, class X, class Y>
struct PoolLayer : S {
  X* x;
  Y* y;
  Index x_row() const { return this->in_w * this->channels; }
  Index y_row() const { return this->out_w * this->channels; }
};

// From pixels of x that lie `pixel`, `plane` and `row` elements apart, from one to the next, from
// one channel to the next and from one row to the next.
template <class S, class X, class Y>
struct PixelLayer : S {
  X* x;
  Y* y;
  Index x_row() const { return this->row; }
  Index y_row() const { return this->in_w * this->channels; }
};

// To a single row of outputs.
template <class S, class X, class Y>
struct MeanLayer : S {
  X* x;
  Y* y;
  Index x_row() const { return this->in_w * this->channels; }
  Index y_row() const { return 0; }
};

// The first row of a layer's input that is there, and the row of outputs that is next: images of
// chains have fewer than 2^15 rows.
struct RowProgress {
  std::int16_t begin, next;
};

// Moves `count` elements to the front; words in an unrolled loop, as memmove of small libraries is
// slow.
template <class X>
[[gnu::noinline]] void move_to_front(X* x, Index from, Index count) {
  if constexpr (sizeof(X) == 4) {
#pragma GCC unroll 8
    for (Index i = 0; i < count; ++i) x[i] = x[from + i];
  } else {
    std::memmove(x, x + from, static_cast<std::size_t>(count) * sizeof(X));
  }
}

// Makes the next row of a layer; false if the layer before has to make another row first. at: of
// the layer before, of this one and of the next one.
template <bool kFirst, class Layer>
[[gnu::noinline]] bool make_row(const Layer& layer, RowProgress* at) {
  RowProgress& own = at[1];
  const Span in = rows_read(layer, {own.next, own.next + 1});
  const Index end = at[0].next;
  if (in.end > end) return false;
  layer.make(RowOfImage{0, own.next, in}, layer.x + (in.begin - own.begin) * layer.x_row(),
             layer.y + (own.next - at[2].begin) * layer.y_row());
  ++own.next;
  if constexpr (!kFirst) {
    const Index kept = rows_read(layer, {own.next, own.next + 1}).begin;
    const Index begin = kept < end ? kept : end;
    if (begin > own.begin && begin < end)
      move_to_front(layer.x, (begin - own.begin) * layer.x_row(), (end - begin) * layer.x_row());
    own.begin = static_cast<std::int16_t>(begin);
  }
  return true;
}

template <bool kFirst>
bool make_row_of(Index, RowProgress*) {
  return false;
}

// Makes the next row of layer `index` of those that the functions make.
template <bool kFirst, class Layer, class... Rest>
[[gnu::always_inline]] inline bool make_row_of(Index index, RowProgress* at, const Layer& layer,
                                               const Rest&... rest) {
  if (index == 0) return make_row<kFirst>(layer(), at);
  return make_row_of<false>(index - 1, at + 1, rest...);
}

// Runs a chain as long as `more` is true: the last layer makes its rows, and a layer whose rows are
// not there yet leaves the turn to the one before. Each is a function that makes the layer: so all
// share a place on the stack.
template <class First, class... Rest>
[[gnu::always_inline]] inline void run_rows_while(const bool& more, const First& first,
                                                  const Rest&... rest) {
  constexpr Index last = sizeof...(Rest);
  Index rows = first().out_h;
  ((rows = rest().out_h), ...);
  RowProgress progress[sizeof...(Rest) + 3] = {};
  progress[0].next = static_cast<std::int16_t>(first().in_h);
  for (Index at = last; more && progress[last + 1].next < rows;) {
    if (!make_row_of<true>(at, progress, first, rest...))
      --at;
    else if (at < last)
      ++at;
  }
}

template <class First, class... Rest>
[[gnu::always_inline]] inline void run_rows(const First& first, const Rest&... rest) {
  run_rows_while(true, first, rest...);
}

// ---- layers; each takes what its kernel for whole images takes ----

template <int MR, int NR, class S, class X, class Epilogue>
struct ConvRows : ConvLayer<S, X, float> {
  const float *w, *bias;
  Epilogue epilogue;
  void make(const RowOfImage& r, const float* from, float* to) const {
    conv_row<MR, NR>(static_cast<const S&>(*this), r, from, w, bias, to, epilogue);
  }
};
template <int MR, int NR, class S, class X, class Epilogue = NoEpilogue>
ConvRows<MR, NR, S, X, Epilogue> conv2d_nhwc_row(S s, X* x, const float* w, const float* bias,
                                                 float* y, Epilogue epilogue = {}) {
  return {{s, x, y}, w, bias, epilogue};
}

template <class S, class X, class Epilogue>
struct DepthwiseRows : ConvLayer<S, X, float> {
  const float *w, *bias;
  Epilogue epilogue;
  void make(const RowOfImage& r, const float* from, float* to) const {
    filter_rows(static_cast<const S&>(*this), from, BlockStage<Epilogue>{w, bias, epilogue}, r.in,
                {r.oh, r.oh + 1}, 0, to);
  }
};
template <class S, class X, class Epilogue = NoEpilogue>
DepthwiseRows<S, X, Epilogue> depthwise_conv2d_nhwc_row(S s, X* x, const float* w,
                                                        const float* bias, float* y,
                                                        Epilogue epilogue = {}) {
  return {{s, x, y}, w, bias, epilogue};
}

template <class S, class X, class Epilogue>
struct MaxPoolRows : PoolLayer<S, X, float> {
  Epilogue epilogue;
  void make(const RowOfImage& r, const float* from, float* to) const {
    const S& s = *this;
    max_pool2d_nhwc(OneRow<S>(s, r), from, to,
                    epilogue_from(epilogue, output_pixels(s, r) * s.channels));
  }
};
template <class S, class X, class Epilogue = NoEpilogue>
MaxPoolRows<S, X, Epilogue> max_pool2d_nhwc_row(S s, X* x, float* y, Epilogue epilogue = {}) {
  return {{s, x, y}, epilogue};
}

template <class S, class X, class Y>
struct MaxPoolInt8Rows : PoolLayer<S, X, Y> {
  void make(const RowOfImage& r, const Y* from, Y* to) const {
    max_pool2d_int8_nhwc(OneRow<S>(*this, r), from, to);
  }
};
template <class S, class X, class Y>
MaxPoolInt8Rows<S, X, Y> max_pool2d_int8_nhwc_row(S s, X* x, Y* y) {
  return {{s, x, y}};
}

template <int NR, class S, class X, class Y, class Epilogue>
struct ConvInt8Rows : ConvLayer<S, X, Y> {
  const std::int8_t* w;
  const std::int32_t* start;
  std::uint8_t* scratch;
  Epilogue epilogue;
  void make(const RowOfImage& r, const std::remove_const_t<X>* from, Y* to) const {
    const S& s = *this;
    const Int8Convolution<Y> c = {w, start, nullptr, to, output_pixels(s, r) * s.out_c};
    // Without code for edges.
    if constexpr (is_known_pointwise<S> && !std::is_signed_v<X>) {
      if (!s.copies) return inner_int8_row<NR>(s, from, 0, {0, s.out_w}, c, epilogue);
    }
    conv_int8_row<NR>(OneRow<S>(s, r), from, 0, c, scratch, epilogue);
  }
};
template <int NR, class S, class X, class Y, class Epilogue = NoEpilogue>
ConvInt8Rows<NR, S, X, Y, Epilogue> conv2d_int8_nhwc_row(S s, X* x, const std::int8_t* w,
                                                         const std::int32_t* start,
                                                         const std::int32_t*, Y* y,
                                                         std::uint8_t* scratch,
                                                         Epilogue epilogue = {}) {
  return {{s, x, y}, w, start, scratch, epilogue};
}

template <class S, class X, class Y, class Epilogue>
struct DepthwiseInt8Rows : ConvLayer<S, X, Y> {
  const std::int8_t* w;
  const std::int32_t* start;
  Epilogue epilogue;
  void make(const RowOfImage& r, const std::remove_const_t<X>* from, Y* to) const {
    const S& s = *this;
    depthwise_int8_row_of_image(
        OneRow<S>(s, r), from, 0,
        DepthwiseInt8Tile<Y>{nullptr, w, start, to, output_pixels(s, r) * s.in_c}, epilogue);
  }
};
template <class S, class X, class Y, class Epilogue = NoEpilogue>
DepthwiseInt8Rows<S, X, Y, Epilogue> depthwise_conv2d_int8_nhwc_row(S s, X* x, const std::int8_t* w,
                                                                    const std::int32_t* start, Y* y,
                                                                    std::uint8_t*,
                                                                    Epilogue epilogue = {}) {
  return {{s, x, y}, w, start, epilogue};
}

// Where the caller's rows come from, and whether they still come.
template <class Source>
struct CallerRows {
  Source source;
  bool more;
};

// Has no input in memory.
template <class S, class Source, class Y>
struct SourceRows : S {
  Y* y;
  CallerRows<Source>* rows;
  const Y* x;
  Index x_row() const { return 0; }
  Index y_row() const { return this->row; }
  void make(const RowOfImage& r, const Y*, Y* to) const {
    const auto first = static_cast<std::uint32_t>(r.oh);
    rows->more = rows->source.next_rows(rows->source.context, first, 1, to) == 0;
  }
};
template <class S, class Source, class Y>
SourceRows<S, Source, Y> row_source_row(S s, CallerRows<Source>& rows, Y* y) {
  return {s, y, &rows, nullptr};
}

// Planes to channels-last rows.
template <class S, class X, class Y>
struct ReorderRows : PixelLayer<S, X, Y> {
  void make(const RowOfImage&, const Y* from, Y* to) const {
    transpose_tile(this->in_w, this->channels, from, this->plane, to, this->channels);
  }
};
template <class S, class X, class Y>
ReorderRows<S, X, Y> reorder_row(S s, X* x, Y* y) {
  return {{s, x, y}};
}

// How `map` walks one row.
struct RowWalk {
  Index dims[2], strides[2];
};

// As `map` of one operand, dense or of planes.
template <bool kVector, class S, class F, class X, class Y>
struct MapRows : PixelLayer<S, X, Y> {
  F f;
  void make(const RowOfImage&, const std::remove_const_t<X>* from, Y* to) const {
    const S& s = *this;
    map<2, kVector>(RowWalk{{s.in_w, s.channels}, {s.pixel, s.plane}}, f, to, from);
  }
};
template <int kRank, bool kVector, class S, class F, class Y, class X>
MapRows<kVector, S, F, X, Y> map_row(S s, F f, Y* y, X* x) {
  return {{s, x, y}, f};
}

// Sums up row after row in the order of global_average_pool of channels-last images.
template <class S, class X, class Epilogue>
struct AverageRows : MeanLayer<S, X, float> {
  Epilogue epilogue;
  void make(const RowOfImage& r, const float* from, float* to) const {
    const S& s = *this;
    const auto count = static_cast<float>(s.in_h * s.in_w);
    for (Index c = 0; c < s.channels; ++c) {
      float total = r.oh == 0 ? from[c] : to[c] + from[c];
      for (Index p = 1; p < s.in_w; ++p) total = total + from[p * s.channels + c];
      to[c] = r.oh + 1 < s.in_h ? total : epilogue(total / count, c, c);
    }
  }
};
template <class S, class X, class Epilogue>
AverageRows<S, X, Epilogue> global_average_pool_row(S s, X* x, float* y, Epilogue epilogue) {
  return {{s, x, y}, epilogue};
}

// The same of global_average_pool_int8. sums: [channels].
template <class S, class X, class Y, class Epilogue>
struct AverageInt8Rows : MeanLayer<S, X, Y> {
  Epilogue epilogue;
  std::int32_t* sums;
  void make(const RowOfImage& r, const std::remove_const_t<X>* from, Y* to) const {
    const S& s = *this;
    const Index count = s.in_h * s.in_w;
    for (Index c = 0; c < s.channels; ++c) {
      std::int32_t sum = r.oh == 0 ? -static_cast<std::int32_t>(count * s.zero) : sums[c];
      for (Index p = 0; p < s.in_w; ++p) sum += from[p * s.channels + c];
      sums[c] = sum;
      if (r.oh + 1 < s.in_h) continue;
      const float mean = static_cast<float>(sum) * s.step / static_cast<float>(count);
      to[c] = static_cast<Y>(epilogue(mean, c, c));
    }
  }
};
template <class S, class X, class Y, class Epilogue>
AverageInt8Rows<S, X, Y, Epilogue> global_average_pool_int8_row(S s, X* x, Y* y, Epilogue epilogue,
                                                                std::int32_t* sums) {
  return {{s, x, y}, epilogue, sums};
}

}  // namespace onnxc
