// abs.hpp - magnitude; the most negative integer wraps.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T abs(T x) {
  if constexpr (std::is_unsigned_v<T>)
    return x;
  else if constexpr (std::is_integral_v<T>)
    return x < T{0} ? static_cast<T>(wrap_t<T>{0} - static_cast<wrap_t<T>>(x)) : x;
  else if constexpr (is_double<T>)
    return std::fabs(x);
  else
    return onnxc::abs(x);
}

}  // namespace fn
}  // namespace onnxc
