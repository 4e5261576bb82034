// min.hpp - the smallest operand; NaN if one is NaN.
#pragma once

#include <type_traits>

#include "runtime_min/select.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T min(T x) {
  return x;
}

template <class T, class... Rest>
[[gnu::always_inline]] inline T min(T a, T b, Rest... rest) {
  if constexpr (std::is_integral_v<T>) {
    return min(a < b ? a : b, rest...);
  } else {
    const T chosen = select(less_than(a, b), a, b);
    return min(select(not_equal_to(a, a), a, chosen), rest...);
  }
}

}  // namespace fn
}  // namespace onnxc
