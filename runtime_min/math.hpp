// math.hpp - exp, expm1, log, tanh, sigmoid, softplus and erf on float and on float vectors, in
// float arithmetic only.
//
// One template serves every width; a scalar tail differs from a vector body only where a compiler
// contracts a product and a sum in one of them and not in the other. Errors and sources:
// docs/ACCURACY.md.
#pragma once

#include <cstdint>

#include "runtime_min/simd.hpp"

namespace onnxc {
namespace math {

// ln 2 in two parts; the high one has 16 bits, so its product with an exponent is exact.
constexpr float kLn2High = 6.9314575195e-01f;
constexpr float kLn2Low = 1.4286067653e-06f;

// Horner's rule, the highest power first.
template <class V>
[[gnu::always_inline]] inline V polynomial(V, float c) {
  return broadcast<V>(c);
}
template <class V, class... Rest>
[[gnu::always_inline]] inline V polynomial(V x, float constant, Rest... rest) {
  return polynomial(x, rest...) * x + constant;
}

// (1 + fraction) * 2^exponent; exponent is a wrapped integer.
template <class V>
struct Power {
  V fraction;
  bits_t<V> exponent;
};

// x in units of ln 2, rounded: adding 1.5 * 2^23 leaves the integer in the low bits of the sum.
constexpr float kRounding = 12582912.0f;

template <class V>
[[gnu::always_inline]] inline Power<V> power_of(V shifted, V r) {
  // By r and r * r in turn, which takes as many operations as Horner's rule and waits for fewer.
  const V s = r * r;
  const V high = polynomial(r, 0.0416684039f, 0.00836889911f) + s * 0.00138142216f;
  const V p = polynomial(r, 0.49999994f, 0.166665196f) + high * s;
  return {p * s + r, to_bits(shifted) - 0x4b400000u};
}

// exp(x) for x in [-130, 130].
template <class V>
[[gnu::always_inline]] inline Power<V> exp_parts(V x) {
  const V shifted = x * 1.44269504f + kRounding;
  const V n = shifted - kRounding;
  return power_of<V>(shifted, x - n * kLn2High - n * kLn2Low);
}

// exp(x - low), as exact as if x had more bits.
template <class V>
[[gnu::always_inline]] inline Power<V> exp_parts(V x, V low) {
  const V shifted = (x - low) * 1.44269504f + kRounding;
  const V n = shifted - kRounding;
  return power_of<V>(shifted, x - n * kLn2High - (n * kLn2Low + low));
}

template <class V>
[[gnu::always_inline]] inline V power_of_two(bits_t<V> exponent) {
  return from_bits<V>((exponent + 127u) << 23);
}

// v * 2^exponent for exponents of denormals and of the largest floats too, which are not powers of
// two in float.
template <class V>
[[gnu::always_inline]] inline V scale(V v, bits_t<V> exponent) {
  const bits_t<V> half = ((exponent + 512u) >> 1) - 256u;
  return v * power_of_two<V>(half) * power_of_two<V>(exponent - half);
}

// Bounds that let NaN through.
template <class V>
[[gnu::always_inline]] inline V bounded(V x, float low, float high) {
  return not_below(not_above(x, broadcast<V>(high)), broadcast<V>(low));
}

template <class V>
[[gnu::always_inline]] inline V exp(V x) {
  const Power<V> e = exp_parts(bounded(x, -104.0f, 89.0f));
  return scale(e.fraction + 1.0f, e.exponent);
}

// exp(x) for x up to 0; zero where it would be denormal.
template <class V>
[[gnu::always_inline]] inline V exp_below_one(V x) {
  const Power<V> e = exp_parts(x);
  return select(less_than(x, -87.0f), V{}, (e.fraction + 1.0f) * power_of_two<V>(e.exponent));
}

// exp(x) - 1; x above 88 counts as 88.
template <class V>
[[gnu::always_inline]] inline V expm1(V x) {
  const Power<V> e = exp_parts(bounded(x, -20.0f, 88.0f));
  const V power = power_of_two<V>(e.exponent);
  return power * e.fraction + (power - 1.0f);
}

// log(1 + f) for 1 + f in [sqrt(1/2), sqrt(2)).
template <class V>
[[gnu::always_inline]] inline V log1p_near_zero(V f) {
  const V p = polynomial(f, 0.333333135f, -0.250000089f, 0.200021192f, -0.166679963f, 0.142195508f,
                         -0.124055922f, 0.118881777f, -0.116756387f, 0.0674659163f);
  return (p * f - 0.5f) * (f * f) + f;
}

// x = m * 2^e with m in [sqrt(1/2), sqrt(2)), log(x) = e * ln 2 + log(1 + f).
template <class V>
[[gnu::always_inline]] inline V log(V x) {
  const auto denormal = less_than(x, 1.17549435e-38f);
  const bits_t<V> b = to_bits(select(denormal, x * 8388608.0f, x));
  const bits_t<V> biased = (b + 0x00cafb0du) >> 23;
  const V f = from_bits<V>(b - ((biased - 128u) << 23)) - 1.0f;
  const V bias =
      select(denormal, broadcast<V>(8388608.0f + 151.0f), broadcast<V>(8388608.0f + 128.0f));
  const V e = from_bits<V>(biased + 0x4b000000u) - bias;
  V y = log1p_near_zero(f);
  y = e * kLn2High + (e * kLn2Low + y);
  const V infinity = from_bits<V>(bits_t<V>{} + 0x7f800000u);
  y = select(less_than(x, infinity), y, x);
  y = select(equal_to(x, V{}), -infinity, y);
  return select(less_than(x, V{}), from_bits<V>(bits_t<V>{} + 0x7fc00000u), y);
}

// h / (h + 1) with h = (exp(2 |x|) - 1) / 2, which is as exact near zero as far from it. Small
// quotients take a step of h - h * y, whose error is that of h.
template <class V>
[[gnu::always_inline]] inline V tanh(V x) {
  // Beyond 10 the result is one; the bound keeps the exponent in range and lets NaN through.
  const Power<V> e = exp_parts(not_above(abs(x) * 2.0f, broadcast<V>(20.0f)));
  const V half_power = power_of_two<V>(e.exponent - 1u);
  const V h = e.fraction * half_power + (half_power - 0.5f);
  const auto small = less_than(h, 0.5f);
  const V sum = select(small, h, V{}), factor = select(small, h, broadcast<V>(-1.0f));
  return copysign(sum - factor * (h / (h + 1.0f)), x);
}

// 1 / (1 + exp(-x)). The sum is 2^-24 of its value, so that it holds exp(104).
template <class V>
[[gnu::always_inline]] inline V sigmoid(V x) {
  constexpr float kScale = 5.9604644775390625e-8f;
  const Power<V> e = exp_parts(-bounded(x, -104.0f, 20.0f));
  const V power = power_of_two<V>(e.exponent - 24u);
  // Where one is lost in the sum with a large power, it goes to the rest.
  const V high = power + kScale;
  return kScale / (high + (power * e.fraction + (kScale - (high - power))));
}

// log(1 + exp(x)); the sum is halved where it is far from one.
template <class V>
[[gnu::always_inline]] inline V softplus(V x) {
  const V e = exp(-abs(x));
  const auto high = greater_than(e, 0.41421356f);
  const V f = select(high, e * 0.5f - 0.5f, e);
  const V y = select(high, broadcast<V>(0.693147181f), V{}) + log1p_near_zero(f);
  return select(greater_than(x, 0.0f), x + y, y);
}

// x + x * P(x * x) near zero, 1 - exp(-x - x * Q(x)) outside; beyond 4 the result is one.
template <class V>
[[gnu::always_inline]] inline V erf(V x) {
  const V magnitude = abs(x);
  const V s = x * x;
  const V p = polynomial(s, 0.128379151f, -0.376124799f, 0.112816826f, -0.02676172f, 0.00498594064f,
                         -0.000595374149f);
  const V small = p * x + x;
  const V t = select(greater_than(magnitude, 4.0f), broadcast<V>(4.0f), magnitude);
  const V q = polynomial(t, 0.128510758f, 0.635730922f, 0.105244637f, -0.022878591f, 0.0032113113f,
                         -0.000213532083f);
  const Power<V> e = exp_parts(-(q * t + t));
  const V large = 1.0f - (e.fraction + 1.0f) * power_of_two<V>(e.exponent);
  return copysign(select(less_than(magnitude, 0.925f), small, large), x);
}

}  // namespace math
}  // namespace onnxc
