// div.hpp - quotient; integers truncate, by zero gives 0, the most negative by -1 wraps.
#pragma once

#include <type_traits>

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T div(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == T{0}) return T{0};
    if constexpr (std::is_signed_v<T>)
      if (b == static_cast<T>(-1)) return static_cast<T>(wrap_t<T>{0} - static_cast<wrap_t<T>>(a));
    return static_cast<T>(a / b);
  } else {
    return a / b;
  }
}

}  // namespace fn
}  // namespace onnxc
