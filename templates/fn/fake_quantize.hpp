// fake_quantize.hpp - the value that remains of x after QuantizeLinear and DequantizeLinear.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

// The multiple of `step` nearest to x * factor / divisor steps, halves to even, between `low` and
// `high` steps, which are integers below 2^22; NaN gives the low one. The quotient is x in steps:
// either the divisor is the step and the factor 1, or the factor is 1 / step and the divisor 1.
template <class T>
[[gnu::always_inline]] inline T fake_quantize(T x, float factor, float divisor, float step,
                                                    float low, float high) {
  static_assert(!is_double<T>, "the constant that rounds is that of floats");
  const T steps = x * real<T>(factor) / real<T>(divisor);
  const T least = real<T>(low), most = real<T>(high);
  const T above = select(greater_than(steps, least), steps, least);
  const T bounded = select(less_than(above, most), above, most);
  // The sum has no fraction bits left; both lines together round.
  const T shifted = bounded + real<T>(math::kRounding);
  return (shifted - real<T>(math::kRounding)) * real<T>(step);
}

}  // namespace fn
}  // namespace onnxc
