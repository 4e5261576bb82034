// gelu.hpp - x * P(X <= x) for a normal X, exact or by the tanh formula.
#pragma once

#include "templates/fn/erf.hpp"
#include "templates/fn/tanh.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T gelu(T x) {
  return x * real<T>(0.5f) * (real<T>(1.0f) + erf(x * exact<T>(0.70710678118654752)));
}

template <class T>
[[gnu::always_inline]] inline T gelu_tanh(T x) {
  const T inner = exact<T>(0.79788456080286536) * (x + exact<T>(0.044715) * x * x * x);
  return x * real<T>(0.5f) * (real<T>(1.0f) + tanh(inner));
}

}  // namespace fn
}  // namespace onnxc
