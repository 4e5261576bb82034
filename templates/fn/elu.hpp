// elu.hpp - alpha * (exp(x) - 1) for negative values, else the value.
#pragma once

#include "templates/fn/exp.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T elu(T x, float alpha) {
  return x < T{} ? (exp(x) - real<T>(1.0f)) * real<T>(alpha) : x;
}

}  // namespace fn
}  // namespace onnxc
