// quantize.hpp - QuantizeLinear by one scale, as a float.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

// The number of steps in x, rounded half to even, plus `zero`. The steps are x * factor / divisor,
// limited to `low` and `high`: either the divisor is the step and the factor 1, or the factor is 1
// / step and the divisor 1. All three are integers below 2^22, `low` and `high` less the zero
// point; NaN gives `low`.
template <class T>
[[gnu::always_inline]] inline T quantize(T x, float factor, float divisor, float zero, float low,
                                         float high) {
  static_assert(!is_double<T>, "the constant that rounds is that of floats");
  const T steps = x * real<T>(factor) / real<T>(divisor);
  const T least = real<T>(low), most = real<T>(high);
  const T above = select(greater_than(steps, least), steps, least);
  const T bounded = select(less_than(above, most), above, most);
  // The sum has no fraction bits left; the difference is exact.
  return (bounded + real<T>(math::kRounding)) - real<T>(math::kRounding - zero);
}

}  // namespace fn
}  // namespace onnxc
