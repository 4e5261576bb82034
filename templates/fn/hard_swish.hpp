// hard_swish.hpp - x * hard_sigmoid(x, 1/6, 1/2).
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T hard_swish(T x) {
  return x * at_most(at_least(x * exact<T>(1.0 / 6.0) + real<T>(0.5f), T{}), real<T>(1.0f));
}

}  // namespace fn
}  // namespace onnxc
