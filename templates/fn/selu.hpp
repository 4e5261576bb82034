// selu.hpp - gamma * alpha * (exp(x) - 1) for negative values, else gamma * x.
#pragma once

#include "templates/fn/expm1.hpp"
#include "templates/fn/gate.hpp"

namespace onnxc {
namespace fn {

// The product with the constant factor of the negative values is rounded once: that of the upper
// halves is exact.
template <class T>
[[gnu::always_inline]] inline T selu(T x, float alpha, float gamma) {
  const double factor = static_cast<double>(alpha) * static_cast<double>(gamma);
  const T y = expm1(x);
  if constexpr (is_double<T>) {
    return select(less_than(x, T{}), y * factor, x * real<T>(gamma));
  } else {
    const float high = upper_half(static_cast<float>(factor));
    const T low = real<T>(static_cast<float>(factor - static_cast<double>(high)));
    const T y_high = upper_half(y);
    return select(less_than(x, T{}), y_high * high + ((y - y_high) * high + y * low),
                  x * real<T>(gamma));
  }
}

}  // namespace fn
}  // namespace onnxc
