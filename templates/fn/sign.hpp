// sign.hpp - -1, 0 or 1; NaN stays.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T sign(T x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>((x > T{} ? 1 : 0) - (x < T{} ? 1 : 0));
  } else {
    const T one = real<T>(1.0f), not_above = select(less_than(x, T{}), -one, x);
    return select(greater_than(x, T{}), one, not_above);
  }
}

}  // namespace fn
}  // namespace onnxc
