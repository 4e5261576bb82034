// dequantize.hpp - DequantizeLinear by one scale; x is an integer, or a float that holds one.
#pragma once

#include <type_traits>

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

// (x - zero) * scale; exact up to one rounding for integers below 2^24.
template <class T>
[[gnu::always_inline]] inline auto dequantize(T x, float zero, float scale) {
  if constexpr (std::is_integral_v<T>) {
    return (static_cast<float>(x) - zero) * scale;
  } else {
    return (x - real<T>(zero)) * real<T>(scale);
  }
}

}  // namespace fn
}  // namespace onnxc
