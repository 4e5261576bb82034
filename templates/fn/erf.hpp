// erf.hpp - the error function; of integers, truncated: 0.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T erf(T x) {
  if constexpr (is_double<T>)
    return std::erf(x);
  else if constexpr (std::is_integral_v<T>)
    return T{0};
  else
    return math::erf(x);
}

}  // namespace fn
}  // namespace onnxc
