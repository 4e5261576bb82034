// selection.hpp - one of the operands: by a condition, the largest, the smallest or between bounds.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime_min/select.hpp"
#include "runtime_min/types.hpp"
#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T identity(T x) {
  return x;
}

// Reals are chosen by their bits: of `?:` compilers make a branch, which data like masks mislead.
template <class T>
inline T where(bool condition, T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    using U = std::conditional_t<sizeof(T) == sizeof(float), std::uint32_t, std::uint64_t>;
    U first, second;
    std::memcpy(&first, &x, sizeof x);
    std::memcpy(&second, &y, sizeof y);
    const U mask = static_cast<U>(0) - static_cast<U>(condition);
    const U chosen = (first & mask) | (second & ~mask);
    std::memcpy(&x, &chosen, sizeof x);
    return x;
  } else {
    return condition ? x : y;
  }
}

// a where x is above 0, else b.
template <class T>
[[gnu::always_inline]] inline T where_positive(T x, T a, T b) {
  return select(greater_than(x, T{}), a, b);
}

// The largest operand; NaN if one is NaN.
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

// The smallest operand; NaN if one is NaN.
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

// Bounds of x's type, or float literals.
template <class T, class B>
[[gnu::always_inline]] inline T clip(T x, B low, B high) {
  if constexpr (std::is_same_v<T, B>)
    return at_most(at_least(x, low), high);
  else
    return clip(x, real<T>(low), real<T>(high));
}

}  // namespace fn
}  // namespace onnxc
