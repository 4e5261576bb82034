// dequantize.hpp - DequantizeLinear by one scale; x is an integer, or a float that holds one.
#pragma once

#include <type_traits>

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline auto dequantize(T x, float zero, float step) {
  if constexpr (std::is_integral_v<T>) {
    return (static_cast<float>(x) - zero) * step;
  } else {
    return (x - real<T>(zero)) * real<T>(step);
  }
}

}  // namespace fn
}  // namespace onnxc
