// relu.hpp - 0 for negative values, else the value.
#pragma once

#include "runtime_min/select.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T relu(T x) {
  return select(less_than(x, T{}), T{}, x);
}

}  // namespace fn
}  // namespace onnxc
