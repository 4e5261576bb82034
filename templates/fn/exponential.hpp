// exponential.hpp - exponentials, logarithms, powers, roots and the error function.
#pragma once

#include <cmath>

#include "runtime_min/math.hpp"
#include "templates/fn/integer.hpp"
#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T exp(T x) {
  if constexpr (is_double<T>)
    return std::exp(x);
  else
    return math::exp(x);
}

// exp(x) - 1 without cancellation near zero; x above 88 counts as 88 where it is not a double.
template <class T>
[[gnu::always_inline]] inline T expm1(T x) {
  if constexpr (is_double<T>)
    return std::expm1(x);
  else
    return math::expm1(x);
}

template <class T>
[[gnu::always_inline]] inline T log(T x) {
  if constexpr (is_double<T>)
    return std::log(x);
  else
    return math::log(x);
}

// std::sqrt may set errno, so compilers call it lane by lane unless they are told otherwise; the
// instructions give the same bits.
template <class T>
[[gnu::always_inline]] inline T sqrt(T x) {
#if defined(ONNXC_NO_VECTOR_EXTENSIONS)
#elif defined(__clang__)
#if __has_builtin(__builtin_elementwise_sqrt)
  return __builtin_elementwise_sqrt(x);
#endif
#else
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<vec<16>, T>)
    return __builtin_ia32_sqrtps512_mask(x, x, static_cast<short>(-1), 4);
#endif
#if defined(__AVX__)
  if constexpr (std::is_same_v<vec<8>, T>) return __builtin_ia32_sqrtps256(x);
#endif
#if defined(__SSE__)
  if constexpr (std::is_same_v<vec<4>, T>) return __builtin_ia32_sqrtps(x);
#endif
#endif
  return each_lane(x, [](auto v) { return std::sqrt(v); });
}

// By squaring; 1 / x^-y truncated for negative exponents, 0 to such a power gives 0.
template <class T, class U>
inline T integer_pow(T x, U y) {
  using W = wrap_t<T>;
  if constexpr (std::is_signed_v<U>)
    if (y < U{0}) {
      if (x == T{1}) return x;
      if constexpr (std::is_signed_v<T>)
        if (x == static_cast<T>(-1)) return y % 2 == 0 ? T{1} : x;
      return T{0};
    }
  W result = 1, power = static_cast<W>(x);
  for (std::make_unsigned_t<U> rest = static_cast<std::make_unsigned_t<U>>(y); rest != 0;
       rest = static_cast<std::make_unsigned_t<U>>(rest >> 1)) {
    if ((rest & 1u) != 0) result *= power;
    power *= power;
  }
  return static_cast<T>(result);
}

template <class T, class U>
inline T pow(T x, U y) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<U>) {
    return integer_pow(x, y);
  } else if constexpr (std::is_integral_v<T>) {
    return to_integer<T>(std::pow(static_cast<U>(x), y));
  } else if constexpr (std::is_arithmetic_v<T>) {
    const T exponent = static_cast<T>(y);
    return exponent == T{2} ? x * x : exponent == T{3} ? x * x * x : std::pow(x, exponent);
  } else {
    float base[lanes<T>], exponent[lanes<T>];
    std::memcpy(base, &x, sizeof x);
    std::memcpy(exponent, &y, sizeof y);
    bool square = true, cube = true;
    for (float e : exponent) square = square && e == 2.0f, cube = cube && e == 3.0f;
    if (square) return x * x;
    if (cube) return x * x * x;
    for (int i = 0; i < lanes<T>; ++i) base[i] = pow(base[i], exponent[i]);
    std::memcpy(&x, base, sizeof x);
    return x;
  }
}

// Of integers, truncated: 0.
template <class T>
[[gnu::always_inline]] inline T erf(T x) {
  if constexpr (is_double<T>)
    return std::erf(x);
  else if constexpr (std::is_integral_v<T>)
    return T{0};
  else
    return math::erf(x);
}

}  // namespace fn
}  // namespace onnxc
