// window_rows.hpp - sums or extremes of the windows of plain images of any rank, a row of results
// at a time: first over the other axes, in vectors, then along the row.
#pragma once

#include <cstddef>
#include <type_traits>

#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"

namespace onnxc {

// Elements of a row at a time, on the stack, of which microcontrollers have too little. Without
// vectors this way is no faster.
constexpr Index kWindowRow = kLittleCode ? 0 : 512;

namespace window_rows_detail {

// The next position of all axes but the last.
template <std::size_t R, class D>
bool next_row(Position<R>& p, const D& extents) {
  for (std::size_t i = R - 1; i-- > 0;) {
    if (++p.at[i] < extents[i]) return true;
    p.at[i] = 0;
  }
  return false;
}

// Where the row begins that a tap of the window reads, or -1 outside of the data.
template <std::size_t R, class S>
Index row_offset(const S& s, const Position<R>& out, const Position<R>& tap) {
  Index offset = 0;
  for (std::size_t i = 0; i + 1 < R; ++i) {
    const Index p = out.at[i] * s.stride[i] - s.pad[i] + tap.at[i] * s.dilation[i];
    if (p < 0 || p >= s.in[i]) return -1;
    offset = offset * s.in[i] + p;
  }
  return offset * s.in[R - 1];
}

template <class A, class T, class Join>
void join_row(const T* x, Index count, A* row, Join join) {
  constexpr Index lanes = std::is_same_v<T, float> ? kLanes : 1;
  // g++ 12 warns of a tail that begins where the loop over vectors has ended.
  const Index vectors = lanes > 1 ? count - count % lanes : 0;
  if constexpr (lanes > 1)
    for (Index i = 0; i < vectors; i += lanes) store(row + i, join(load(row + i), load(x + i)));
  for (Index i = vectors; i < count; ++i) row[i] = join(row[i], static_cast<A>(x[i]));
}

}  // namespace window_rows_detail

// From the first tap of a window to the last, along an axis.
template <class S>
constexpr Index window_extent(const S& s, std::size_t axis) {
  return (s.kernel[axis] - 1) * s.dilation[axis] + 1;
}

// Taps of a window at the position `out` of an axis that read data.
template <class S>
Index taps_inside(const S& s, std::size_t axis, Index out) {
  const Index first = out * s.stride[axis] - s.pad[axis], step = s.dilation[axis];
  if (first >= 0 && first + window_extent(s, axis) <= s.in[axis]) return s.kernel[axis];
  const Index begin = first < 0 ? (step - 1 - first) / step : 0;
  const Index end = first < s.in[axis] ? (s.in[axis] - first + step - 1) / step : 0;
  const Index last = end < s.kernel[axis] ? end : s.kernel[axis];
  return last > begin ? last - begin : 0;
}

// Whether reduce_windows takes these windows.
template <std::size_t R, class S>
constexpr bool reduces_rows(const S& s) {
  return window_extent(s, R - 1) <= kWindowRow / 4 && s.stride[R - 1] <= kWindowRow / 16;
}

// Calls done(position, out, value) for every window of one plane: the offset of the result, where
// it is, and `start` joined with all elements of the window, of numbers and vectors alike.
// s: in[R], out[R], kernel[R], stride[R], dilation[R], pad[R].
template <std::size_t R, class A, class S, class T, class Join, class F>
void reduce_windows(const S& s, const T* x, A start, Join join, F done) {
  constexpr std::size_t w = R - 1;
  constexpr std::size_t capacity = kWindowRow > 0 ? kWindowRow : 1;
  const Index extent = window_extent(s, w), stride = s.stride[w];
  const Index at_a_time = (kWindowRow - extent) / stride + 1;
  Position<R> out;
  Index position = 0;
  do {
    for (Index p = 0; p < s.out[w]; p += at_a_time) {
      const Index results = s.out[w] - p < at_a_time ? s.out[w] - p : at_a_time;
      const Index begin = p * stride - s.pad[w], end = begin + (results - 1) * stride + extent;
      const Index first = begin > 0 ? begin : 0, last = end < s.in[w] ? end : s.in[w];
      A row[capacity];
      for (Index i = 0; i < end - begin; ++i) row[i] = start;
      Position<R> tap;
      do {
        const Index from = window_rows_detail::row_offset<R>(s, out, tap);
        if (from >= 0 && first < last)
          window_rows_detail::join_row(x + from + first, last - first, row + (first - begin), join);
      } while (window_rows_detail::next_row(tap, s.kernel));
      for (Index i = 0; i < results; ++i) {
        A value = row[i * stride];
        for (Index k = 1; k < s.kernel[w]; ++k)
          value = join(value, row[i * stride + k * s.dilation[w]]);
        out.at[w] = p + i;
        done(position++, out, value);
      }
    }
    out.at[w] = 0;
  } while (window_rows_detail::next_row(out, s.out));
}

}  // namespace onnxc
