// mod.hpp - remainder: with the sign of the divisor, or by fmod with the sign of the dividend. By
// zero, integers give 0.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
inline T fmod(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(a, b);
  } else {
    // -1 is apart: the most negative value by it overflows.
    if (b == T{0} || (std::is_signed_v<T> && b == static_cast<T>(-1))) return T{0};
    return static_cast<T>(a % b);
  }
}

template <class T>
inline T mod(T a, T b) {
  const T r = fmod(a, b);
  if constexpr (std::is_unsigned_v<T>)
    return r;
  else
    return r != T{} && (r < T{}) != (b < T{}) ? static_cast<T>(r + b) : r;
}

}  // namespace fn
}  // namespace onnxc
