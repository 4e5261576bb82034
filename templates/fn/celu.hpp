// celu.hpp - alpha * (exp(x / alpha) - 1) for negative values, else the value.
#pragma once

#include "templates/fn/expm1.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T celu(T x, float alpha) {
  return select_computed(
      less_than(x, T{}), [&] { return expm1(x / real<T>(alpha)) * real<T>(alpha); }, x);
}

}  // namespace fn
}  // namespace onnxc
