// hard_swish.hpp - x * hard_sigmoid(x, 1/6, 1/2).
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

// Below -1 the sum x + 3 is exact, above the product with it would cost a rounding more. -inf gives
// 0.
template <class T>
[[gnu::always_inline]] inline T hard_swish(T x) {
  const T sixth = exact<T>(1.0 / 6.0);
  const T low = at_least(x, real<T>(-3.0f));
  const T near = x * real<T>(0.5f) + x * x * sixth;
  const T y = select(less_than(x, real<T>(-1.0f)), low * ((low + real<T>(3.0f)) * sixth), near);
  return select(greater_than(x, real<T>(3.0f)), x, y);
}

}  // namespace fn
}  // namespace onnxc
