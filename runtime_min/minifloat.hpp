// minifloat.hpp - the 8-bit and 4-bit floating-point formats, one element a byte, with one codec
// for all.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// The meaning of the codes outside the finite values.
enum class MiniCodes {
  ieee,          // the largest exponent is infinity and NaN
  nan_all_ones,  // NaN is all ones, no infinity
  nan_minus_0,   // NaN is the code of -0, no infinity
  finite,        // every code is a number
};

// Sign, exponent and mantissa, from the highest bit down. The constructor rounds to nearest even
// and saturates.
template <int kExponentBits, int kMantissaBits, int kBias, MiniCodes kCodes>
struct minifloat {
  std::uint8_t bits;

  static constexpr std::uint32_t kSign = 1u << (kExponentBits + kMantissaBits);
  static constexpr std::uint32_t kLargest = kCodes == MiniCodes::ieee
                                                ? kSign - (1u << kMantissaBits) - 1u
                                            : kCodes == MiniCodes::nan_all_ones ? kSign - 2u
                                                                                : kSign - 1u;

  minifloat() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  explicit minifloat(T x) : bits(encode(half_detail::to_source(x), true)) {}

  static minifloat from_bits(std::uint8_t b) {
    minifloat m;
    m.bits = b;
    return m;
  }
  // Without `saturate`, what is too large becomes infinity, or NaN where the format has none.
  template <class T>
  static minifloat from(T x, bool saturate) {
    return from_bits(encode(half_detail::to_source(x), saturate));
  }

  operator float() const {
    const std::uint32_t sign = (bits & kSign) != 0 ? 0x80000000u : 0u;
    const std::uint32_t code = bits & (kSign - 1u);
    if (kCodes == MiniCodes::nan_minus_0 && bits == kSign)
      return half_detail::float_of(0x7fc00000u);
    if (kCodes == MiniCodes::nan_all_ones && code > kLargest)
      return half_detail::float_of(sign | 0x7fc00000u);
    if (kCodes == MiniCodes::ieee && code > kLargest)
      return half_detail::float_of(sign | 0x7f800000u |
                                   (code - kLargest - 1u) << (23 - kMantissaBits));
    if (code < (1u << kMantissaBits)) {
      const float step =
          half_detail::float_of(static_cast<std::uint32_t>(128 - kBias - kMantissaBits) << 23);
      const float magnitude = static_cast<float>(code) * step;
      return sign != 0 ? -magnitude : magnitude;
    }
    return half_detail::float_of(
        sign | ((code << (23 - kMantissaBits)) + (static_cast<std::uint32_t>(127 - kBias) << 23)));
  }

 private:
  static std::uint8_t encode(float x, bool saturate) {
    const std::uint32_t b = half_detail::bits_of(x);
    const std::uint32_t magnitude = b & 0x7fffffffu, sign = b != magnitude ? kSign : 0u;
    if (magnitude > 0x7f800000u) return nan(sign);
    const std::uint32_t code = round(magnitude);
    if (code > kLargest) return saturate ? with_sign(sign, kLargest) : overflow(sign);
    return with_sign(sign, code);
  }

  // The finite code nearest to the magnitude, as if exponents had no end.
  static std::uint32_t round(std::uint32_t magnitude) {
    const int exponent = static_cast<int>(magnitude >> 23) - 127 + kBias;
    if (exponent >= 1)
      return drop(magnitude, 23 - kMantissaBits) -
             (static_cast<std::uint32_t>(127 - kBias) << kMantissaBits);
    const int shift = 23 - kMantissaBits + 1 - exponent;
    return shift > 24 ? 0u : drop((magnitude & 0x7fffffu) | 0x800000u, shift);
  }
  static std::uint32_t drop(std::uint32_t b, int shift) {
    return (b + (1u << (shift - 1)) - 1u + ((b >> shift) & 1u)) >> shift;
  }
  static std::uint8_t with_sign(std::uint32_t sign, std::uint32_t code) {
    if (kCodes == MiniCodes::nan_minus_0 && code == 0) sign = 0;
    return static_cast<std::uint8_t>(sign | code);
  }
  static std::uint8_t nan(std::uint32_t sign) {
    if (kCodes == MiniCodes::nan_minus_0) return static_cast<std::uint8_t>(kSign);
    if (kCodes == MiniCodes::finite) return 0;
    return static_cast<std::uint8_t>(sign | (kSign - 1u));
  }
  static std::uint8_t overflow(std::uint32_t sign) {
    if (kCodes == MiniCodes::ieee) return with_sign(sign, kLargest + 1u);
    if (kCodes == MiniCodes::finite) return with_sign(sign, kLargest);
    return nan(sign);
  }
};

using float8e4m3fn = minifloat<4, 3, 7, MiniCodes::nan_all_ones>;
using float8e4m3fnuz = minifloat<4, 3, 8, MiniCodes::nan_minus_0>;
using float8e5m2 = minifloat<5, 2, 15, MiniCodes::ieee>;
using float8e5m2fnuz = minifloat<5, 2, 16, MiniCodes::nan_minus_0>;
using float4e2m1 = minifloat<2, 1, 1, MiniCodes::finite>;

enum class Rounding { up, down, nearest };

// A power of two from 2^-127 to 2^127, or NaN: no sign, no zero. The constructor rounds up and
// saturates.
struct float8e8m0 {
  std::uint8_t bits;

  float8e8m0() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  explicit float8e8m0(T x) : float8e8m0(from(x, true)) {}
  operator float() const {
    const std::uint32_t e = bits;
    return half_detail::float_of(e == 0xffu ? 0x7fc00000u : e == 0u ? 0x00400000u : e << 23);
  }

  static float8e8m0 from_bits(std::uint8_t b) {
    float8e8m0 m;
    m.bits = b;
    return m;
  }
  // The sign is dropped. Saturated, zero becomes the smallest power and infinity the largest.
  template <class T>
  static float8e8m0 from(T x, bool saturate, Rounding rounding = Rounding::up) {
    const std::uint32_t b = half_detail::bits_of(half_detail::to_source(x)) & 0x7fffffffu;
    if (b > 0x7f800000u) return from_bits(0xff);
    if (b < 0x00400000u) return from_bits(b == 0 && !saturate ? 0xff : 0);
    // Denormal floats from 2^-127 on have no hidden bit: that power is half the mantissa field.
    const std::uint32_t fraction = b < 0x00800000u ? (b & 0x3fffffu) << 1 : b & 0x7fffffu;
    const bool up = rounding == Rounding::up
                        ? fraction != 0
                        : rounding == Rounding::nearest && fraction >= 0x400000u;
    const std::uint32_t code = (b >> 23) + (up ? 1u : 0u);
    if (code >= 0xffu) return from_bits(saturate ? 0xfe : 0xff);
    return from_bits(static_cast<std::uint8_t>(code));
  }
};

template <int kExponentBits, int kMantissaBits, int kBias, MiniCodes kCodes>
struct compute<minifloat<kExponentBits, kMantissaBits, kBias, kCodes>> {
  using type = float;
};
template <>
struct compute<float8e8m0> {
  using type = float;
};

}  // namespace onnxc
