// split_heads.hpp - transposes the heads of a sequence to the front and adds a bias; and makes
// masks of keys into values to add to attention scores.
#pragma once

#include <cstdint>

#include "runtime_min/chunk.hpp"
#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// x: [batch, length, heads, parts, width], of which `part` is taken. bias: [.., heads * width] from
// bias_at on, or null. y: [batch, heads, length, width]. s: batch, length, heads, parts, part,
// width, bias_at.
// Divisible.
template <class S, class T>
void split_heads(S s, const T* x, const T* bias, T* y) {
  using A = compute_t<T>;
  const Span own = chunk_range(s, s.batch * s.heads * s.length);
  y += own.begin * s.width;
  for (Index row = own.begin; row < own.end; ++row) {
    const Index b = row / (s.heads * s.length), h = row / s.length % s.heads, i = row % s.length;
    const T* from = x + (((b * s.length + i) * s.heads + h) * s.parts + s.part) * s.width;
    if (bias == nullptr) {
      for (Index j = 0; j < s.width; ++j) *y++ = from[j];
      continue;
    }
    const T* shift = bias + s.bias_at + h * s.width;
    for (Index j = 0; j < s.width; ++j)
      *y++ = static_cast<T>(static_cast<A>(from[j]) + static_cast<A>(shift[j]));
  }
}

// y: [batch, rows, columns], 0 where a key counts and `filter` where it does not. A key counts
//   ends:   before mask[batch], and not before mask[s.batch + batch] where `starts` is not 0;
//   others: where mask is positive at mask_at + batch * mask_batch + row * mask_row + column.
// s: batch, rows, columns, ends, starts, mask_at, mask_batch, mask_row, filter.
template <class S, class T>
void mask_bias(S s, const std::int32_t* mask, T* y) {
  const T out = static_cast<T>(static_cast<compute_t<T>>(s.filter)),
          in = static_cast<T>(compute_t<T>{});
  for (Index b = 0; b < s.batch; ++b) {
    const Index end = s.ends ? mask[b] : 0, start = s.ends && s.starts != 0 ? mask[s.batch + b] : 0;
    for (Index i = 0; i < s.rows; ++i) {
      const std::int32_t* row = mask + s.mask_at + b * s.mask_batch + i * s.mask_row;
      for (Index j = 0; j < s.columns; ++j)
        *y++ = (s.ends ? j >= start && j < end : row[j] > 0) ? in : out;
    }
  }
}

}  // namespace onnxc
