// shrink.hpp - moves values beyond lambda towards 0 by bias, others become 0.
#pragma once

#include "templates/fn/integer.hpp"
#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T shrink(T x, float lambda, float bias) {
  if constexpr (std::is_integral_v<T>) {
    return to_integer<T>(shrink(static_cast<float>(x), lambda, bias));
  } else {
    const T l = real<T>(lambda), b = real<T>(bias);
    const T upper = select(greater_than(x, l), x - b, T{});
    return select(less_than(x, -l), x + b, upper);
  }
}

}  // namespace fn
}  // namespace onnxc
