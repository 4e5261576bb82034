// copy_constant.hpp - a constant from the memory that it is in to where kernels read.
#pragma once

#include "runtime_min/flash.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// x: a constant of the model.  s: count.
template <class S, class T>
void copy_constant(S s, const T* x, T* y) {
  for (Index i = 0; i < s.count; ++i) y[i] = constant_at(x + i);
}

}  // namespace onnxc
