// quantize.hpp - QuantizeLinear and DequantizeLinear by one scale, computed in float.
#pragma once

#include <type_traits>

#include "runtime_min/simd_int8.hpp"
#include "runtime_min/simd_int8_mve.hpp"
#include "templates/fn/real.hpp"
#include "templates/fn/requantize.hpp"

namespace onnxc {
namespace fn {

// x between low and high; NaN gives low. As single instructions where compilers compare and choose.
template <class T>
[[gnu::always_inline]] inline T clipped(T x, T low, T high) {
#if defined(__SSE2__)
  if constexpr (!std::is_arithmetic_v<T> && sizeof(T) == 16) {
    return __builtin_ia32_minps(__builtin_ia32_maxps(x, low), high);
  }
#endif
#if defined(__AVX__)
  if constexpr (!std::is_arithmetic_v<T> && sizeof(T) == 32) {
    return __builtin_ia32_minps256(__builtin_ia32_maxps256(x, low), high);
  }
#endif
#if defined(__AVX512F__)
  if constexpr (!std::is_arithmetic_v<T> && sizeof(T) == 64) {
#if defined(__clang__)
    return __builtin_ia32_minps512(__builtin_ia32_maxps512(x, low, 4), high, 4);
#else
    constexpr short all = -1;
    const T above = __builtin_ia32_maxps512_mask(x, low, T{}, all, 4);
    return __builtin_ia32_minps512_mask(above, high, T{}, all, 4);
#endif
  }
#endif
  const T above = select(greater_than(x, low), x, low);
  return select(less_than(above, high), above, high);
}

// clip(x * factor / divisor, low, high) plus the constant that rounds sums of floats to integers,
// ties to even. Either the divisor is the scale and the factor 1, or the factor is 1 / scale and
// the divisor 1. low and high are the limits of the type less the zero point: integers below 2^22.
// NaN gives low.
template <class T>
[[gnu::always_inline]] inline T shifted_quotient(T x, float factor, float divisor, float low,
                                                 float high) {
  static_assert(!is_double<T>, "the constant that rounds is that of floats");
  const T scaled = x * real<T>(factor) / real<T>(divisor);
  return clipped(scaled, real<T>(low), real<T>(high)) + real<T>(math::kRounding);
}

// An integer that becomes a float, or one of the type that is stored.
struct WholeNumber {
  std::int32_t value;
  operator float() const { return static_cast<float>(value); }
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  explicit operator T() const {
    return static_cast<T>(value);
  }
};

// As quantize, by integers.
[[gnu::always_inline]] inline WholeNumber quantize_on_soft_float(float x, float factor,
                                                                 float divisor, float zero,
                                                                 float low, float high) {
  const float ratio = factor / divisor;
  const auto least = static_cast<std::int32_t>(low), most = static_cast<std::int32_t>(high);
  const bool fits = ratio > 0x1p-60f && ratio < 0x1p60f && least >= -256 && most <= 256;
  std::int32_t rounded;
  if (fits) {
    rounded = quotient_on_soft_float(x, factor, divisor, ratio);
    rounded = rounded < least ? least : rounded > most ? most : rounded;
  } else {
    rounded = nearest_below_2_22(shifted_quotient(x, factor, divisor, low, high) - math::kRounding);
  }
  return {rounded + static_cast<std::int32_t>(zero)};
}

// The same by the instruction that rounds to an integer, which is then clipped.
[[gnu::always_inline]] inline WholeNumber quantize_by_rounding(float x, float factor, float divisor,
                                                               float zero, float low, float high) {
  const float scaled = x * factor / divisor;
  const auto least = static_cast<std::int32_t>(low + zero),
             most = static_cast<std::int32_t>(high + zero);
  // Integers beyond 32 bits are the largest ones.
  std::int32_t result = add_saturating(nearest_integer(scaled), static_cast<std::int32_t>(zero));
  result = result < least ? least : result > most ? most : result;
  return {scaled == scaled ? result : least};
}

// round(clip(x * factor / divisor, low, high)) + zero, where zero is an integer below 2^22, too.
template <class T>
[[gnu::always_inline]] inline auto quantize(T x, float factor, float divisor, float zero, float low,
                                            float high) {
  if constexpr (kSoftFloat && std::is_same_v<T, float>)
    return quantize_on_soft_float(x, factor, divisor, zero, low, high);
  else if constexpr (kRoundsSaturated && std::is_same_v<T, float>)
    return quantize_by_rounding(x, factor, divisor, zero, low, high);
  else if constexpr (stores_shifted<T>())
    return ShiftedNumbers<T>{shifted_quotient(x, factor, divisor, low, high), zero};
  else
    // The sum has no fraction bits left; the difference is exact.
    return shifted_quotient(x, factor, divisor, low, high) - real<T>(math::kRounding - zero);
}

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
// The same by the instruction that rounds, when it is known what for.
[[gnu::always_inline]] inline UnroundedNumbers quantize(mve_detail::Floats x, float factor,
                                                        float divisor, float zero, float low,
                                                        float high) {
  using T = mve_detail::Floats;
  return {x * real<T>(factor) / real<T>(divisor), zero, low, high};
}
#endif

// (x - zero) * scale; exact up to one rounding for integers below 2^24.
template <class T>
[[gnu::always_inline]] inline auto dequantize(T x, float zero, float scale) {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, WholeNumber>) {
    return (static_cast<float>(x) - zero) * scale;
  } else if constexpr (is_shifted<T>) {
    return dequantize(x.floats(), zero, scale);
  } else {
    return (x - real<T>(zero)) * real<T>(scale);
  }
}

// round(clip(x * factor / divisor, low, high)) * scale: quantize followed by dequantize, without
// the integer between.
template <class T>
[[gnu::always_inline]] inline T fake_quantize(T x, float factor, float divisor, float scale,
                                              float low, float high) {
  const T shifted = shifted_quotient(x, factor, divisor, low, high);
  return (shifted - real<T>(math::kRounding)) * real<T>(scale);
}

}  // namespace fn
}  // namespace onnxc
