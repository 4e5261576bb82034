// row_chain.hpp - layers that run together, row by row: of the images between them only those rows
// exist that the next layer still reads.
//
// A layer makes a row of outputs as soon as the rows of its window are there; what it needs no more
// goes, and the rest moves to the front of its memory. So no row is computed twice, and the values
// are those of the kernels for whole images. One image; nothing is divided among threads. The
// windows reach at least from one row of outputs to the next.
#pragma once

#include <cstring>
#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/by_rows.hpp"
#include "templates/convolution/int8_by_rows.hpp"
#include "templates/elementwise/map.hpp"
#include "templates/movement/transpose_tile.hpp"
#include "templates/pooling/max_pool2d_int8_nhwc.hpp"
#include "templates/pooling/pool2d_nhwc.hpp"

namespace onnxc {

// A layer of a chain. make(r, from, to) computes one row: from the first of the rows r.in of its
// input, to a row of outputs. x: the input of the first layer, else memory for the rows that it
// reads; y: the output of the last layer, else x of the next. x_row, y_row: elements of a row.
template <class S, class X, class Y, class Make>
struct RowLayer {
  S s;
  X* x;
  Y* y;
  Index x_row, y_row;
  Make make;
};

template <class S, class X, class Y, class Make>
RowLayer<S, X, Y, Make> row_layer(S s, X* x, Index x_row, Y* y, Index y_row, Make make) {
  return {s, x, y, x_row, y_row, make};
}

// The rows [begin, end) of a layer's input that are there, and the row of outputs that is next.
struct RowProgress {
  Index begin, end, next;
};

// Moves `count` elements to the front.
template <class X>
[[gnu::noinline]] void move_to_front(X* x, Index from, Index count) {
  std::memmove(x, x + from, static_cast<std::size_t>(count) * sizeof(X));
}

// Makes the next row of a layer; false if the layer before has to make another row first. at: of
// this layer, after: of the next.
template <bool kFirst, class Layer>
bool make_row(const Layer& layer, RowProgress& at, RowProgress& after) {
  const Span in = rows_read(layer.s, {at.next, at.next + 1});
  if (in.end > at.end) return false;
  layer.make(RowOfImage{0, at.next, in}, layer.x + (in.begin - at.begin) * layer.x_row,
             layer.y + (at.next - after.begin) * layer.y_row);
  after.end = ++at.next;
  if constexpr (!kFirst) {
    const Index kept = rows_read(layer.s, {at.next, at.next + 1}).begin;
    const Index begin = kept < at.end ? kept : at.end;
    if (begin > at.begin && begin < at.end)
      move_to_front(layer.x, (begin - at.begin) * layer.x_row, (at.end - begin) * layer.x_row);
    at.begin = begin;
  }
  return true;
}

template <bool kFirst>
bool make_row_of(Index, RowProgress*) {
  return false;
}

// Makes the next row of layer `index` of those given.
template <bool kFirst, class Layer, class... Rest>
bool make_row_of(Index index, RowProgress* at, const Layer& layer, const Rest&... rest) {
  if (index == 0) return make_row<kFirst>(layer, at[0], at[1]);
  return make_row_of<false>(index - 1, at + 1, rest...);
}

// Runs a chain: the last layer makes its rows, and a layer whose rows are not there yet leaves the
// turn to the one before.
template <class First, class... Rest>
void run_rows(const First& first, const Rest&... rest) {
  constexpr Index last = sizeof...(Rest);
  Index rows = first.s.out_h;
  ((rows = rest.s.out_h), ...);
  RowProgress progress[last + 2] = {};
  progress[0].end = first.s.in_h;
  for (Index at = last; progress[last].next < rows;) {
    if (!make_row_of<true>(at, progress, first, rest...))
      --at;
    else if (at < last)
      ++at;
  }
}

// ---- layers; each takes what its kernel for whole images takes ----

template <int MR, int NR, class S, class X, class Epilogue = NoEpilogue>
auto conv2d_nhwc_row(S s, X* x, const float* w, const float* bias, float* y,
                     Epilogue epilogue = {}) {
  const auto make = [=](const RowOfImage& r, const float* from, float* to) {
    conv_row<MR, NR>(s, r, from, w, bias, to, epilogue);
  };
  return row_layer(s, x, s.in_w * s.in_c, y, s.out_w * s.out_c, make);
}

template <class S, class X, class Epilogue = NoEpilogue>
auto depthwise_conv2d_nhwc_row(S s, X* x, const float* w, const float* bias, float* y,
                               Epilogue epilogue = {}) {
  const auto make = [=](const RowOfImage& r, const float* from, float* to) {
    filter_rows(s, from, BlockStage<Epilogue>{w, bias, epilogue}, r.in, {r.oh, r.oh + 1}, 0, to);
  };
  return row_layer(s, x, s.in_w * s.in_c, y, s.out_w * s.out_c, make);
}

template <class S, class X, class Epilogue = NoEpilogue>
auto max_pool2d_nhwc_row(S s, X* x, float* y, Epilogue epilogue = {}) {
  const auto make = [=](const RowOfImage& r, const float* from, float* to) {
    max_pool2d_nhwc(OneRow<S>(s, r), from, to,
                    epilogue_from(epilogue, output_pixels(s, r) * s.channels));
  };
  return row_layer(s, x, s.in_w * s.channels, y, s.out_w * s.channels, make);
}

template <class S, class X, class Y>
auto max_pool2d_int8_nhwc_row(S s, X* x, Y* y) {
  const auto make = [=](const RowOfImage& r, const Y* from, Y* to) {
    max_pool2d_int8_nhwc(OneRow<S>(s, r), from, to);
  };
  return row_layer(s, x, s.in_w * s.channels, y, s.out_w * s.channels, make);
}

template <int NR, class S, class X, class Y, class Epilogue = NoEpilogue>
auto conv2d_int8_nhwc_row(S s, X* x, const std::int8_t* w, const std::int32_t* start,
                          const std::int32_t*, Y* y, std::uint8_t* scratch,
                          Epilogue epilogue = {}) {
  const auto make = [=](const RowOfImage& r, const std::remove_const_t<X>* from, Y* to) {
    const Int8Convolution<Y> c = {w, start, nullptr, to, output_pixels(s, r) * s.out_c};
    conv_int8_row<NR>(OneRow<S>(s, r), from, 0, c, scratch, epilogue);
  };
  return row_layer(s, x, s.in_w * s.in_c, y, s.out_w * s.out_c, make);
}

template <class S, class X, class Y, class Epilogue = NoEpilogue>
auto depthwise_conv2d_int8_nhwc_row(S s, X* x, const std::int8_t* w, const std::int32_t* start,
                                    Y* y, std::uint8_t*, Epilogue epilogue = {}) {
  const auto make = [=](const RowOfImage& r, const std::remove_const_t<X>* from, Y* to) {
    const Index first = output_pixels(s, r) * s.in_c;
    depthwise_int8_row_of_image(OneRow<S>(s, r), from, 0,
                                DepthwiseInt8Tile<Y>{nullptr, w, start, to, first}, epilogue);
  };
  return row_layer(s, x, s.in_w * s.in_c, y, s.out_w * s.out_c, make);
}

// From planes [channels, in_h, in_w] to channels-last rows; plane: elements of x from one to the
// next, row: from one row to the next. s: also channels.
template <class S, class X, class Y>
auto reorder_row(S s, X* x, Y* y) {
  const auto make = [=](const RowOfImage&, const Y* from, Y* to) {
    transpose_tile(s.in_w, s.channels, from, s.plane, to, s.channels);
  };
  return row_layer(s, x, s.row, y, s.in_w * s.channels, make);
}

// How `map` walks one row.
struct RowWalk {
  Index dims[2], strides[2];
};

// As `map` of one operand, dense or of planes. pixel, plane: elements of x from one pixel or
// channel to the next, row: from one row to the next. s: also channels.
template <int kRank, bool kVector, class S, class F, class Y, class X>
auto map_row(S s, F f, Y* y, X* x) {
  const auto make = [=](const RowOfImage&, const std::remove_const_t<X>* from, Y* to) {
    map<2, kVector>(RowWalk{{s.in_w, s.channels}, {s.pixel, s.plane}}, f, to, from);
  };
  return row_layer(s, x, s.row, y, s.in_w * s.channels, make);
}

// Sums up row after row in the order of global_average_pool of channels-last images. s: also
// channels.
template <class S, class X, class Epilogue>
auto global_average_pool_row(S s, X* x, float* y, Epilogue epilogue) {
  const auto make = [=](const RowOfImage& r, const float* from, float*) {
    for (Index c = 0; c < s.channels; ++c) {
      float total = r.oh == 0 ? from[c] : y[c] + from[c];
      for (Index p = 1; p < s.in_w; ++p) total = total + from[p * s.channels + c];
      const auto count = static_cast<float>(s.in_h * s.in_w);
      y[c] = r.oh + 1 < s.in_h ? total : epilogue(total / count, c, c);
    }
  };
  return row_layer(s, x, s.in_w * s.channels, y, Index{0}, make);
}

// The same of global_average_pool_int8. s: also zero, step. sums: [channels].
template <class S, class X, class Y, class Epilogue>
auto global_average_pool_int8_row(S s, X* x, Y* y, Epilogue epilogue, std::int32_t* sums) {
  const auto make = [=](const RowOfImage& r, const std::remove_const_t<X>* from, Y*) {
    for (Index c = 0; c < s.channels; ++c) {
      std::int32_t sum = r.oh == 0 ? 0 : sums[c];
      for (Index p = 0; p < s.in_w; ++p) sum += from[p * s.channels + c];
      sums[c] = sum;
      if (r.oh + 1 < s.in_h) continue;
      const auto count = s.in_h * s.in_w;
      sum -= static_cast<std::int32_t>(count * s.zero);
      const float mean = static_cast<float>(sum) * s.step / static_cast<float>(count);
      y[c] = static_cast<Y>(epilogue(mean, c, c));
    }
  };
  return row_layer(s, x, s.in_w * s.channels, y, Index{0}, make);
}

}  // namespace onnxc
