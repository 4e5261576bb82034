// leaky_relu.hpp - alpha * x for negative values, else the value.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T leaky_relu(T x, float alpha) {
  return select(less_than(x, T{}), x * real<T>(alpha), x);
}

}  // namespace fn
}  // namespace onnxc
