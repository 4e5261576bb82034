// tanh.hpp - hyperbolic tangent.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T tanh(T x) {
  if constexpr (is_double<T>)
    return std::tanh(x);
  else
    return math::tanh(x);
}

}  // namespace fn
}  // namespace onnxc
