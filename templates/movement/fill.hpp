// fill.hpp - sets every element to one value.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {

// value: [1]. y: [count].  s: count.
template <class S, class T>
void fill(S s, const T* value, T* y) {
  const T v = *value;
  for (Index i = 0; i < s.count; ++i) y[i] = v;
}

}  // namespace onnxc
