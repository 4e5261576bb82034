// nonzero.hpp - counts elements that meet a condition, then finds them.
#pragma once

#include <cstdint>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// x: [size].  s: size.
template <class S, class T>
void nonzero_extents(S s, const T* x, Index* extents) {
  Index found = 0;
  for (Index i = 0; i < s.size; ++i)
    found += static_cast<compute_t<T>>(x[i]) == compute_t<T>{} ? 0 : 1;
  extents[0] = found;
}

// condition: [count]; those from `extent` on have to be false, else bad_index.  s: count, extent.
template <class S>
Status compress_extents(S s, const bool* condition, Index* extents) {
  Index chosen = 0;
  for (Index k = 0; k < s.count; ++k) {
    if (condition[k] && k >= s.extent) return Status::bad_index;
    chosen += condition[k] ? 1 : 0;
  }
  extents[0] = chosen;
  return Status::ok;
}

// x: [dims], y: [rank, found], the coordinates of the non-zero elements, in order. bad_shape if
// they are not s.found. s: rank, dims[rank], size, found.
template <class S, class T>
Status nonzero(S s, const T* x, std::int64_t* y) {
  Index next = 0;
  for (Index i = 0; i < s.size; ++i) {
    if (static_cast<compute_t<T>>(x[i]) == compute_t<T>{}) continue;
    if (next == s.found) return Status::bad_shape;
    Index rest = i;
    for (Index axis = s.rank; axis-- > 0; rest /= s.dims[axis])
      y[axis * s.found + next] = rest % s.dims[axis];
    ++next;
  }
  return next == s.found ? Status::ok : Status::bad_shape;
}

// x: [outer, extent, inner], condition: [count], y: [outer, found, inner]: the slices whose
// condition is true. s: outer, extent, inner, count, found.
template <class S, class T>
Status compress(S s, const T* x, const bool* condition, T* y) {
  const Index count = s.count < s.extent ? s.count : s.extent;
  Index chosen = 0;
  for (Index k = 0; k < s.count; ++k) {
    if (condition[k] && k >= s.extent) return Status::bad_index;
    chosen += condition[k] ? 1 : 0;
  }
  if (chosen != s.found) return Status::bad_shape;
  for (Index o = 0; o < s.outer; ++o, x += s.extent * s.inner)
    for (Index k = 0; k < count; ++k) {
      if (!condition[k]) continue;
      for (Index i = 0; i < s.inner; ++i) *y++ = x[k * s.inner + i];
    }
  return Status::ok;
}

}  // namespace onnxc
