// copy.hpp - copies elements.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {

// x, y: [count], not overlapping unless equal.  s: count.
template <class S, class T>
void copy(S s, const T* x, T* y) {
  for (Index i = 0; i < s.count; ++i) y[i] = x[i];
}

}  // namespace onnxc
