// requantize.hpp - sums of products of 8-bit integers, scaled and rounded to 8-bit integers, and
// floats quantised: by integer instructions where those are faster, with the same results.
//
// What counts is the product as float arithmetic rounds it, then rounded to an integer, ties to
// even. Without a float unit a product of integers, a little less exact, gives the same integer
// unless it is near a half; only then floats decide.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/math.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

// Cores without a float unit, and whether they have the upper half of a product of words.
#if defined(__SOFTFP__) || (defined(__riscv) && !defined(__riscv_flen))
constexpr bool kSoftFloat = true;
#else
constexpr bool kSoftFloat = false;
#endif
#if defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_8M_BASE__)
constexpr bool kLongProducts = false;
#else
constexpr bool kLongProducts = true;
#endif

inline std::uint32_t float_bits(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

// The integer nearest to x, ties to even, for |x| < 2^22: rounding leaves it in the sum's bits.
inline std::int32_t nearest_below_2_22(float x) {
  return static_cast<std::int32_t>(float_bits(x + math::kRounding) - 0x4b400000u);
}

// The integer nearest to a * mantissa * 2^-45, if `sure` also the one nearest to any number that
// floats round this to. mantissa: below 2^24.
struct Nearest {
  std::int32_t integer;
  bool sure;
};

// The integer nearest to x * 2^-bits, where a half is more than margin * 2^-bits away.
[[gnu::always_inline]] inline Nearest nearest_away_from_ties(std::int32_t x, int bits,
                                                             std::int32_t margin) {
  // Next to a half the fraction of the sum is 0 to 2 * margin; elsewhere the margin is too little
  // to change the integer.
  const std::int32_t up = x + (std::int32_t{1} << (bits - 1)) + margin;
  const std::uint32_t fraction = static_cast<std::uint32_t>(up) << (32 - bits),
                      near = static_cast<std::uint32_t>(2 * margin) << (32 - bits);
  return {up >> bits, fraction >= near};
}

// By the upper half of the product: the error is below 2^-20. Up to 256 the roundings of floats
// change it by less than 2^-14, so 2^-12 away from a half they do not matter.
[[gnu::always_inline]] inline Nearest nearest_by_words(std::int32_t a, std::uint32_t mantissa) {
  const std::int64_t product = std::int64_t{a} * static_cast<std::int32_t>(mantissa << 7);
  return nearest_away_from_ties(static_cast<std::int32_t>(product >> 32), 20, 1 << 8);
}

// By products of half words, with the upper 16 bits of the mantissa: up to 256 what is left out of
// it takes less than 2^-7 off.
[[gnu::always_inline]] inline Nearest nearest_by_half_words(std::int32_t a,
                                                            std::uint32_t mantissa) {
  const auto m = static_cast<std::int32_t>(mantissa >> 8);
  const std::uint32_t low = (static_cast<std::uint32_t>(a) & 0xffffu) * (mantissa >> 8);
  return nearest_away_from_ties((a >> 16) * m + static_cast<std::int32_t>(low >> 16), 21,
                                (1 << 14) + (1 << 8));
}

// sum * scale rounded, by floats alone. |sum * scale| < 2^22.
[[gnu::noinline]] inline std::int32_t scaled_by_floats(std::int32_t sum, float scale) {
  return nearest_below_2_22(static_cast<float>(sum) * scale);
}

// The same; or 512 or more with the sign of the result, where that is beyond. scale: from 2^-22 to
// below 1.
template <bool LONG>
[[gnu::always_inline]] inline std::int32_t scaled_by_integers(std::int32_t sum, float scale) {
  const std::uint32_t bits = float_bits(scale);
  // scale is mantissa * 2^(left - 45). Bits that the shift loses are those of 512 and more.
  const std::uint32_t mantissa = (bits & 0x7fffffu) | 0x800000u, left = (bits >> 23) - 105;
  const auto a = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) << left);
  if ((a >> left) != sum) return sum < 0 ? -512 : 512;
  const Nearest n = LONG ? nearest_by_words(a, mantissa) : nearest_by_half_words(a, mantissa);
  return n.sure ? n.integer : scaled_by_floats(sum, scale);
}
[[gnu::noinline]] inline std::int32_t scaled_on_soft_float(std::int32_t sum, float scale) {
  return scaled_by_integers<kLongProducts>(sum, scale);
}

// x * factor / divisor rounded, by floats alone. |x * factor / divisor| < 2^22.
[[gnu::noinline]] inline std::int32_t quotient_by_floats(float x, float factor, float divisor) {
  return nearest_below_2_22(x * factor / divisor);
}

// The same; or 512 or more with the sign of the result, where that is beyond, and -512 for NaN.
// ratio: factor / divisor, between 2^-60 and 2^60, of which one is 1.
template <bool LONG>
[[gnu::always_inline]] inline std::int32_t quotient_by_integers(float x, float factor,
                                                                float divisor, float ratio) {
  const std::uint32_t bits = float_bits(x), of_ratio = float_bits(ratio);
  // |x| * ratio is (31 bits of x >> right) * mantissa * 2^-45.
  const std::int32_t right =
      262 - static_cast<std::int32_t>((bits >> 23 & 0xffu) + (of_ratio >> 23));
  const std::uint32_t mantissa = (of_ratio & 0x7fffffu) | 0x800000u,
                      of_x = ((bits & 0x7fffffu) | 0x800000u) << 7;
  const bool negative = (bits >> 31) != 0;
  if (right < 0) return negative || bits > 0x7f800000u ? -512 : 512;
  const auto a = static_cast<std::int32_t>(right > 31 ? 0 : of_x >> right);
  const Nearest n = LONG ? nearest_by_words(negative ? -a : a, mantissa)
                         : nearest_by_half_words(negative ? -a : a, mantissa);
  return n.sure ? n.integer : quotient_by_floats(x, factor, divisor);
}
[[gnu::noinline]] inline std::int32_t quotient_on_soft_float(float x, float factor, float divisor,
                                                             float ratio) {
  return quotient_by_integers<kLongProducts>(x, factor, divisor, ratio);
}

// Whether nearest_integer is one instruction, and sums of integers that saturate are another one.
#if defined(__ARM_FEATURE_DSP) && defined(__ARM_FP) && !defined(__aarch64__) && !defined(__SOFTFP__)
constexpr bool kRoundsSaturated = kLanes == 1;
[[gnu::always_inline]] inline std::int32_t add_saturating(std::int32_t a, std::int32_t b) {
  std::int32_t sum;
  asm("qadd %0, %1, %2" : "=r"(sum) : "r"(a), "r"(b));
  return sum;
}
#else
constexpr bool kRoundsSaturated = false;
constexpr std::int32_t add_saturating(std::int32_t a, std::int32_t b) { return a + b; }
#endif

// The integer nearest to x, ties to even; beyond 32 bits the last one where it is an instruction,
// else beyond 12; for NaN any.
[[gnu::always_inline]] inline std::int32_t nearest_integer(float x) {
#if defined(__ARM_FP) && !defined(__aarch64__) && !defined(__SOFTFP__)
  float rounded;
  asm("vcvtr.s32.f32 %0, %1" : "=t"(rounded) : "t"(x));
  return static_cast<std::int32_t>(float_bits(rounded));
#elif defined(__riscv_flen)
  std::int32_t rounded;
  asm("fcvt.w.s %0, %1, rne" : "=r"(rounded) : "f"(x));
  return rounded;
#else
  constexpr float most = 4096.0f;
  return nearest_below_2_22(x < -most ? -most : x < most ? x : most);
#endif
}

// round(clip(sum * scale, low, high)) + zero, where low and high are the limits of an 8-bit type
// less the zero point: integers from -256 to 256. scale: from 2^-22 to 1/2.
[[gnu::always_inline]] inline std::int32_t requantize(std::int32_t sum, float scale,
                                                      std::int32_t zero, std::int32_t low,
                                                      std::int32_t high) {
  const std::int32_t rounded = kSoftFloat ? scaled_on_soft_float(sum, scale)
                                          : nearest_integer(static_cast<float>(sum) * scale);
  // With the zero point first: most types end where an instruction clips.
  const std::int32_t result = rounded + zero, least = low + zero, most = high + zero;
  return result < least ? least : result > most ? most : result;
}

}  // namespace fn
}  // namespace onnxc
