// sigmoid.hpp - 1 / (1 + exp(-x)).
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T sigmoid(T x) {
  if constexpr (is_double<T>)
    return x < 0.0 ? std::exp(x) / (1.0 + std::exp(x)) : 1.0 / (1.0 + std::exp(-x));
  else
    return math::sigmoid(x);
}

}  // namespace fn
}  // namespace onnxc
