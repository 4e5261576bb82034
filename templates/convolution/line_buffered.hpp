// line_buffered.hpp - line-buffered execution: layers that finish one row of an image before the
// next, alone or several together.
//
// Together they run depth-first: a layer makes a row of outputs as soon as the rows of its window
// are there, so of the images between them only a line buffer exists, the rows that the next layer
// still reads. What it no longer needs is dropped, and the rest moves to the front of the buffer.
// No row is computed twice, and the values are those of the kernels for whole images. Nothing is
// divided among threads.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/row_blocks.hpp"

namespace onnxc {

// One row of outputs: number `oh` of image `n`, from the rows `in` of the image.
struct RowOfImage {
  Index n, oh;
  Span in;
};

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

// Pixels before the first one of y of a row.
template <class S>
constexpr Index output_pixels(const S& s, const RowOfImage& r) {
  return (r.n * s.out_h + r.oh) * s.out_w;
}

// The operands of a layer, which also has make(r, from, to): it computes one row, from the first of
// the rows r.in of the input, to a row of outputs. x: the input of the first layer, else its line
// buffer; y: the output of the last layer, else the line buffer of the next. x_row, y_row: elements
// of a row. make_pixels: makes all outputs pixel by pixel where no layer needs rows, else false.
template <class S, class X, class Y>
struct Layer : S {
  X* x;
  Y* y;
  template <bool kBackwards>
  bool make_pixels() const {
    return false;
  }
};

template <class S, class X, class Y>
struct ConvLayer : Layer<S, X, Y> {
  Index x_row() const { return this->in_w * this->in_c; }
  Index y_row() const { return this->out_w * this->out_c; }
};

template <class S, class X, class Y>
struct PoolLayer : Layer<S, X, Y> {
  Index x_row() const { return this->in_w * this->channels; }
  Index y_row() const { return this->out_w * this->channels; }
};

// The first row in the line buffer of a layer, and the row of outputs that is next: images have
// fewer than 2^15 rows.
struct LineBuffer {
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
[[gnu::noinline]] bool make_row(const Layer& layer, LineBuffer* at) {
  LineBuffer& own = at[1];
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
bool make_row_of(Index, LineBuffer*) {
  return false;
}

// Makes the next row of layer `index` of those that the functions make.
template <bool kFirst, class Layer, class... Rest>
[[gnu::always_inline]] inline bool make_row_of(Index index, LineBuffer* at, const Layer& layer,
                                               const Rest&... rest) {
  if (index == 0) return make_row<kFirst>(layer(), at);
  return make_row_of<false>(index - 1, at + 1, rest...);
}

// The order in which layers make their rows, as long as `more` is true: the last one until `made`
// are all `rows`; a layer whose rows are not there yet leaves the turn to the one before.
// make(layer) is false then.
template <class Make>
[[gnu::always_inline]] inline void take_turns(Index last, const bool& more,
                                              const std::int16_t& made, Index rows, Make make) {
  Index at = last;
  while (more && made < rows) {
    if (!make(at))
      --at;
    else if (at < last)
      ++at;
  }
}

// Runs layers together. Each is a function that makes the layer: so all share a place on the stack.
template <class First, class... Rest>
[[gnu::always_inline]] inline void run_line_buffered_while(const bool& more, const First& first,
                                                           const Rest&... rest) {
  constexpr Index last = sizeof...(Rest);
  Index rows = first().out_h;
  ((rows = rest().out_h), ...);
  LineBuffer buffers[sizeof...(Rest) + 3] = {};
  buffers[0].next = static_cast<std::int16_t>(first().in_h);
  take_turns(last, more, buffers[last + 1].next, rows,
             [&](Index at) { return make_row_of<true>(at, buffers, first, rest...); });
}

template <class First, class... Rest>
[[gnu::always_inline]] inline void run_line_buffered(const First& first, const Rest&... rest) {
  run_line_buffered_while(true, first, rest...);
}

// Runs one layer by itself, over all images of a batch. Rows go from the first to the last, or the
// other way. The first of the rows that are not finished reads no input row before the one where
// its window begins; so whatever is before that row may hold results already.
template <bool kBackwards, class Layer>
[[gnu::noinline]] void run_each_row(const Layer& layer) {
  if (layer.template make_pixels<kBackwards>()) return;
  const Index rows = layer.batch * layer.out_h;
  for (Index i = 0; i < rows; ++i) {
    const Index at = kBackwards ? rows - 1 - i : i, n = at / layer.out_h, oh = at % layer.out_h;
    const Span in = rows_read(layer, {oh, oh + 1});
    layer.make(RowOfImage{n, oh, in}, layer.x + (n * layer.in_h + in.begin) * layer.x_row(),
               layer.y + at * layer.y_row());
  }
}
template <class Layer>
[[gnu::always_inline]] inline void run_layer(const Layer& layer) {
  run_each_row<false>(layer);
}
template <class Layer>
[[gnu::always_inline]] inline void run_layer_backwards(const Layer& layer) {
  run_each_row<true>(layer);
}

}  // namespace onnxc
