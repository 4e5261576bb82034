// half.hpp - float16 and bfloat16: storage types that round to nearest even, with the same bits on
// every compiler.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime_min/types.hpp"

namespace onnxc {

namespace half_detail {

inline std::uint32_t bits_of(float x) {
  std::uint32_t b;
  std::memcpy(&b, &x, sizeof b);
  return b;
}
inline float float_of(std::uint32_t b) {
  float x;
  std::memcpy(&x, &b, sizeof x);
  return x;
}

// A float that a second rounding, to any narrower format, takes where one rounding of x would go:
// inexact results get an odd last bit, so they never look like a tie.
inline float round_to_odd(double x) {
  const float nearest = static_cast<float>(x);
  const double back = static_cast<double>(nearest);
  if (back == x || x != x) return nearest;
  std::uint32_t b = bits_of(nearest);
  if ((x < 0.0) ? back < x : back > x) --b;
  return float_of(b | 1u);
}

// The wide type that a narrow float is rounded from.
template <class T>
inline float to_source(T x) {
  if constexpr (std::is_same_v<T, double>)
    return round_to_odd(x);
  else
    return static_cast<float>(x);
}

// Every branch is computed and the results are selected, which lets compilers vectorise.
inline std::uint16_t half_bits(float x) {
  const std::uint32_t b = bits_of(x);
  const std::uint32_t sign = b & 0x80000000u, magnitude = b ^ sign;
  const std::uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - (112u << 23)) >> 13;
  // Adding one half puts the last bit of a denormal half at the last bit of the sum.
  const std::uint32_t denormal = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
  const std::uint32_t special =
      magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x1ffu) : 0x7c00u;
  const std::uint32_t finite = magnitude < 0x38800000u ? denormal : normal;
  return static_cast<std::uint16_t>((sign >> 16) | (magnitude >= 0x47800000u ? special : finite));
}

inline float half_value(std::uint16_t h) {
  const std::uint32_t sign = (h & 0x8000u) << 16, magnitude = (h & 0x7fffu) << 13;
  const std::uint32_t normal = magnitude + (112u << 23);
  const std::uint32_t denormal = bits_of(float_of(magnitude + (113u << 23)) - float_of(113u << 23));
  const std::uint32_t special = magnitude + (224u << 23);
  const std::uint32_t finite = magnitude < 0x00800000u ? denormal : normal;
  return float_of(sign | (magnitude >= 0x0f800000u ? special : finite));
}

inline std::uint16_t brain_bits(float x) {
  const std::uint32_t b = bits_of(x);
  const std::uint32_t rounded = b + 0x7fffu + ((b >> 16) & 1u);
  const bool nan = (b & 0x7fffffffu) > 0x7f800000u;
  return static_cast<std::uint16_t>((nan ? b | 0x00400000u : rounded) >> 16);
}

}  // namespace half_detail

// IEEE 754 binary16. Arithmetic happens in float, to which it converts by itself.
struct float16 {
  std::uint16_t bits;

  float16() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  explicit float16(T x) : bits(half_detail::half_bits(half_detail::to_source(x))) {}
  operator float() const { return half_detail::half_value(bits); }

  static float16 from_bits(std::uint16_t b) {
    float16 h;
    h.bits = b;
    return h;
  }
};

// The upper half of a float.
struct bfloat16 {
  std::uint16_t bits;

  bfloat16() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  explicit bfloat16(T x) : bits(half_detail::brain_bits(half_detail::to_source(x))) {}
  operator float() const { return half_detail::float_of(static_cast<std::uint32_t>(bits) << 16); }

  static bfloat16 from_bits(std::uint16_t b) {
    bfloat16 h;
    h.bits = b;
    return h;
  }
};

template <>
struct compute<float16> {
  using type = float;
};
template <>
struct compute<bfloat16> {
  using type = float;
};

}  // namespace onnxc
