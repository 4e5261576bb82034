// exp.hpp - e to the power of x.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T exp(T x) {
  if constexpr (is_double<T>)
    return std::exp(x);
  else
    return math::exp(x);
}

}  // namespace fn
}  // namespace onnxc
