// selu.hpp - gamma * alpha * (exp(x) - 1) for negative values, else gamma * x.
#pragma once

#include "templates/fn/expm1.hpp"

namespace onnxc {
namespace fn {

// The factor of the negative values is a constant with two parts, since rounding it would cost
// accuracy.
template <class T>
[[gnu::always_inline]] inline T selu(T x, float alpha, float gamma) {
  const double factor = static_cast<double>(alpha) * static_cast<double>(gamma);
  const T y = expm1(x);
  if constexpr (is_double<T>) {
    return x < T{} ? y * factor : x * real<T>(gamma);
  } else {
    const float high = static_cast<float>(factor);
    const float low = static_cast<float>(factor - static_cast<double>(high));
    return x < T{} ? y * real<T>(high) + y * real<T>(low) : x * real<T>(gamma);
  }
}

}  // namespace fn
}  // namespace onnxc
