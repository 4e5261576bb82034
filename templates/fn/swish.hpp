// swish.hpp - x * sigmoid(alpha * x).
#pragma once

#include "templates/fn/gate.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T swish(T x, float alpha) {
  if (alpha == 1.0f) return gate(x, x, T{});
  const T a = real<T>(alpha), a_high = upper_half(a), high = upper_half(x);
  return gate(x, a_high * high, a_high * (x - high) + (a - a_high) * x);
}

}  // namespace fn
}  // namespace onnxc
