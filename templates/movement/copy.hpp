// copy.hpp - copies elements.
#pragma once

#include "runtime_min/chunk.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// x, y: [count], not overlapping unless equal.  s: count. Divisible.
template <class S, class T>
void copy(S s, const T* x, T* y) {
  const Span own = chunk_range(s, s.count, 64);
  for (Index i = own.begin; i < own.end; ++i) y[i] = x[i];
}

}  // namespace onnxc
