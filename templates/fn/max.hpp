// max.hpp - the largest operand; NaN if one is NaN.
#pragma once

#include <type_traits>

#include "runtime_min/select.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T max(T x) {
  return x;
}

template <class T, class... Rest>
[[gnu::always_inline]] inline T max(T a, T b, Rest... rest) {
  if constexpr (std::is_integral_v<T>) {
    return max(a > b ? a : b, rest...);
  } else {
    const T chosen = select(greater_than(a, b), a, b);
    return max(select(not_equal_to(a, a), a, chosen), rest...);
  }
}

}  // namespace fn
}  // namespace onnxc
