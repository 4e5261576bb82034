// fake_quantize.hpp - QuantizeLinear followed by DequantizeLinear, without the integer between.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

// round(clip(x * factor / divisor, low, high)) * scale, halves to even. Either the divisor is the
// scale and the factor 1, or the factor is 1 / scale and the divisor 1. low and high, the limits of
// the type less the zero point, are integers below 2^22. NaN gives low * scale.
template <class T>
[[gnu::always_inline]] inline T fake_quantize(T x, float factor, float divisor, float scale,
                                              float low, float high) {
  static_assert(!is_double<T>, "the constant that rounds is that of floats");
  const T scaled = x * real<T>(factor) / real<T>(divisor);
  const T least = real<T>(low), most = real<T>(high);
  const T above = select(greater_than(scaled, least), scaled, least);
  const T bounded = select(less_than(above, most), above, most);
  // The sum has no fraction bits left; both lines together round.
  const T shifted = bounded + real<T>(math::kRounding);
  return (shifted - real<T>(math::kRounding)) * real<T>(scale);
}

}  // namespace fn
}  // namespace onnxc
