// celu.hpp - alpha * (exp(x / alpha) - 1) for negative values, else the value.
#pragma once

#include "templates/fn/exp.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T celu(T x, float alpha) {
  return x < T{} ? (exp(x / real<T>(alpha)) - real<T>(1.0f)) * real<T>(alpha) : x;
}

}  // namespace fn
}  // namespace onnxc
