// tensor_scatter.hpp - writes new entries into a cache, from a position of each sample's own on.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"

namespace onnxc {

// past, y: [batch, rows, capacity, inner], update: [batch, rows, length, inner], start: [batch], or
// null for zeros.  s: batch, rows, capacity, length, inner, circular.
template <class S, class T>
Status tensor_scatter(S s, const T* past, const T* update, const std::int64_t* start, T* y) {
  if (y != past)
    for (Index i = 0; i < s.batch * s.rows * s.capacity * s.inner; ++i) y[i] = past[i];
  if (s.capacity == 0) return s.length == 0 ? Status::ok : Status::bad_index;
  for (Index b = 0; b < s.batch; ++b) {
    std::int64_t first = start ? start[b] : 0;
    if (s.circular)
      first = (first % s.capacity + s.capacity) % s.capacity;
    else if (first < 0 || first > s.capacity - s.length)
      return Status::bad_index;
    for (Index r = 0; r < s.rows; ++r, y += s.capacity * s.inner)
      for (Index k = 0; k < s.length; ++k) {
        const Index at = static_cast<Index>((first + k) % s.capacity);
        for (Index i = 0; i < s.inner; ++i) y[at * s.inner + i] = *update++;
      }
  }
  return Status::ok;
}

}  // namespace onnxc
