// gate.hpp - x / (1 + exp(-z)) and what it needs to keep the accuracy of z: exact products.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "runtime_min/math.hpp"
#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

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

// x / (first + second(F) + F) with F = exp(-z - low), for functions that beyond z = 20 are x and
// below -129 nothing. The scale of F keeps it finite; the quotient is scaled back at the end,
// where it may become a denormal.
// kFromOne: positive x lose x * (1 - 1 / sum), which takes less harm from the rounding of the sum.
template <bool kFromOne, class T, class H>
[[gnu::always_inline]] inline T gated(T x, T z, T low, float first, H second) {
  constexpr float kScale = 8.67361737988403547e-19f;  // 2^-60
  const T scale = select(less_than(z, -60.0f), broadcast<T>(kScale), broadcast<T>(1.0f));
  const math::Power<T> e = math::exp_parts(-math::bounded(z, -129.0f, 20.0f), low);
  const T power = from_bits<T>((e.exponent << 23) + to_bits(scale));
  const T product = power * e.fraction;
  const T constant = scale * first;
  const T high = power + constant;
  const T rest = product + (constant - (high - power)) + scale * second(product + power);
  T y = x / (high + rest) * scale;
  if constexpr (kFromOne) {
    const auto positive = greater_than(z, 0.0f);
    const T quotient = select(positive, x * ((high - 1.0f) + rest), x) / (high + rest);
    y = select(positive, x - quotient, quotient * scale);
  }
  y = select(greater_than(z, 20.0f), x, y);
  // A NaN may have become an infinite z, having lost the bits that made it NaN.
  return select(less_than(z, -129.0f), select(equal_to(x, x), copysign(T{}, x), x), y);
}

// The same; far below zero only x * F is left, in two steps, since exp(z) is a denormal before the
// product is.
template <bool, class H>
inline double gated(double x, double z, double low, float first, H second) {
  if (z > 40.0) return x;
  if (z < -800.0) return std::copysign(0.0, x);
  const double sum = z + low, rest = low - (sum - z);
  if (z < -600.0) return x * (std::exp(sum + 64.0) * (1.0 + rest)) * 1.6038108905486378e-28;
  const double f = std::exp(-sum) * (1.0 - rest);
  return x / (static_cast<double>(first) + second(f) + f);
}

template <class T>
[[gnu::always_inline]] inline T gate(T x, T z, T low) {
  return gated<false>(x, z, low, 1.0f, [](T) { return T{}; });
}

}  // namespace fn
}  // namespace onnxc
