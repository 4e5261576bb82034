// mish.hpp - x * tanh(softplus(x)).
#pragma once

#include "templates/fn/gate.hpp"

namespace onnxc {
namespace fn {

// With F = exp(-x) the factor is (1 + 2 F) / (1 + 2 F + 2 F^2), the inverse of F + 1/2 + 1/2 / (1 +
// 2 F).
template <class T>
[[gnu::always_inline]] inline T mish(T x) {
  const T half = real<T>(0.5f), one = real<T>(1.0f);
  return gated<true>(x, x, T{}, 0.5f, [=](T f) { return half / (one + (f + f)); });
}

}  // namespace fn
}  // namespace onnxc
