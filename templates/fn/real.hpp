// real.hpp - shared by the floating-point functions: float and its vectors take math.hpp, double
// the C library.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime_min/math.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

template <class T>
inline constexpr bool is_double = std::is_same_v<T, double>;

// A float constant as a T.
template <class T>
[[gnu::always_inline]] inline T real(float c) {
  if constexpr (is_double<T>)
    return static_cast<double>(c);
  else
    return broadcast<T>(c);
}

// A constant whose nearest double matters to double.
template <class T>
[[gnu::always_inline]] inline T exact(double c) {
  if constexpr (is_double<T>)
    return c;
  else
    return broadcast<T>(static_cast<float>(c));
}

// Applies a function of one float or double to every lane.
template <class T, class F>
[[gnu::always_inline]] inline T each_lane(T x, F f) {
  if constexpr (std::is_arithmetic_v<T>) {
    return f(x);
  } else {
    float lane[lanes<T>];
    std::memcpy(lane, &x, sizeof x);
    for (float& v : lane) v = f(v);
    std::memcpy(&x, lane, sizeof x);
    return x;
  }
}

// x without the lower half of its significand: products of two such values are exact.
template <class T>
[[gnu::always_inline]] inline T upper_half(T x) {
  if constexpr (is_double<T>) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof x);
    bits &= 0xfffffffff8000000u;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  } else {
    return from_bits<T>(to_bits(x) & 0xfffff000u);
  }
}

// Bounds that let NaN through.
template <class T>
[[gnu::always_inline]] inline T at_most(T x, T c) {
  return select(greater_than(x, c), c, x);
}
template <class T>
[[gnu::always_inline]] inline T at_least(T x, T c) {
  return select(less_than(x, c), c, x);
}

}  // namespace fn
}  // namespace onnxc
