// prelu.hpp - slope * x for negative values, else the value.
#pragma once

#include "runtime_min/select.hpp"
#include "templates/fn/mul.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T prelu(T x, T slope) {
  return select(less_than(x, T{}), mul(x, slope), x);
}

}  // namespace fn
}  // namespace onnxc
