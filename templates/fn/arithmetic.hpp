// arithmetic.hpp - sums, products, quotients, remainders, signs and means; integers wrap.
#pragma once

#include <type_traits>

#include "runtime_min/types.hpp"
#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<wrap_t<T>>(a) + static_cast<wrap_t<T>>(b));
  else
    return a + b;
}

template <class T>
[[gnu::always_inline]] inline T sub(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<wrap_t<T>>(a) - static_cast<wrap_t<T>>(b));
  else
    return a - b;
}

template <class T>
[[gnu::always_inline]] inline T mul(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<wrap_t<T>>(a) * static_cast<wrap_t<T>>(b));
  else
    return a * b;
}

// Integers truncate; by zero they give 0, and the most negative by -1 wraps.
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

// The remainder with the sign of the dividend; integers by zero give 0.
template <class T>
inline T fmod(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(a, b);
  } else {
    // -1 is handled separately: the most negative value divided by it overflows.
    if (b == T{0} || (std::is_signed_v<T> && b == static_cast<T>(-1))) return T{0};
    return static_cast<T>(a % b);
  }
}

// The remainder with the sign of the divisor.
template <class T>
inline T mod(T a, T b) {
  const T r = fmod(a, b);
  if constexpr (std::is_unsigned_v<T>)
    return r;
  else
    return r != T{} && (r < T{}) != (b < T{}) ? static_cast<T>(r + b) : r;
}

template <class T>
[[gnu::always_inline]] inline T neg(T x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(wrap_t<T>{0} - static_cast<wrap_t<T>>(x));
  else
    return -x;
}

template <class T>
[[gnu::always_inline]] inline T abs(T x) {
  if constexpr (std::is_unsigned_v<T>)
    return x;
  else if constexpr (std::is_integral_v<T>)
    return x < T{0} ? static_cast<T>(wrap_t<T>{0} - static_cast<wrap_t<T>>(x)) : x;
  else if constexpr (is_double<T>)
    return std::fabs(x);
  else
    return onnxc::abs(x);
}

// NaN stays.
template <class T>
[[gnu::always_inline]] inline T sign(T x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>((x > T{} ? 1 : 0) - (x < T{} ? 1 : 0));
  } else {
    const T one = real<T>(1.0f), not_above = select(less_than(x, T{}), -one, x);
    return select(greater_than(x, T{}), one, not_above);
  }
}

template <class T>
[[gnu::always_inline]] inline T reciprocal(T x) {
  return real<T>(1.0f) / x;
}

template <class T, class... Rest>
[[gnu::always_inline]] inline T sum(T x, Rest... rest) {
  return (x + ... + rest);
}

template <class T, class... Rest>
[[gnu::always_inline]] inline T mean(T x, Rest... rest) {
  return (x + ... + rest) / real<T>(static_cast<float>(1 + sizeof...(rest)));
}

}  // namespace fn
}  // namespace onnxc
