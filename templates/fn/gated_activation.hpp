// gated_activation.hpp - activation functions that multiply x by a gate: Swish, SwiGLU, HardSwish,
// Mish and Gelu.
#pragma once

#include <cmath>

#include "runtime_min/math.hpp"
#include "templates/fn/arithmetic.hpp"
#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

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

// x * sigmoid(alpha * x).
template <class T>
[[gnu::always_inline]] inline T swish(T x, float alpha) {
  if (alpha == 1.0f) return gate(x, x, T{});
  const T a = real<T>(alpha), a_high = upper_half(a), high = upper_half(x);
  return gate(x, a_high * high, a_high * (x - high) + (a - a_high) * x);
}

// A linear value gated by the Swish of another.
template <class V>
inline V swi_glu(V gate, V value, float alpha) {
  return mul(swish(gate, alpha), value);
}

// x * hard_sigmoid(x, 1/6, 1/2). Below -1 the sum x + 3 is exact, above the product with it would
// cost a rounding more. -inf gives 0.
template <class T>
[[gnu::always_inline]] inline T hard_swish(T x) {
  const T sixth = exact<T>(1.0 / 6.0);
  const T low = at_least(x, real<T>(-3.0f));
  const T near = x * real<T>(0.5f) + x * x * sixth;
  const T y = select(less_than(x, real<T>(-1.0f)), low * ((low + real<T>(3.0f)) * sixth), near);
  return select(greater_than(x, real<T>(3.0f)), x, y);
}

// x * tanh(softplus(x)). With F = exp(-x) the factor is (1 + 2 F) / (1 + 2 F + 2 F^2), the inverse
// of F + 1/2 + 1/2 / (1 + 2 F).
template <class T>
[[gnu::always_inline]] inline T mish(T x) {
  const T half = real<T>(0.5f), one = real<T>(1.0f);
  return gated<true>(x, x, T{}, 0.5f, [=](T f) { return half / (one + (f + f)); });
}

// t * P(X <= -t) for t >= 0. Near zero it is N(t) * exp(-t^2 / 2 - t / 2) with N a polynomial that
// stays close to a half, outside R(1 / t^2) * exp(-t^2 / 2). The exponent is kept in two parts,
// since exp makes its error t^2 times as large.
template <class T>
[[gnu::always_inline]] inline T gelu_lower(T t) {
  const T b = at_most(t, real<T>(14.5f));
  const auto outside = greater_than(b, 2.6f);
  const T high = from_bits<T>(to_bits(b) & 0xffffe000u), low = b - high;
  const T other = select(outside, high, high + 1.0f);
  const math::Power<T> e = math::exp_parts(high * other * -0.5f, low * (b + other) * 0.5f);
  const T near =
      math::polynomial(b - 1.25f, -0.0688829646f, 0.00913249422f, 0.0372188948f, -0.00629961956f,
                       0.00266665686f, -0.000715894799f, 0.000203564283f, -5.20451576e-05f,
                       1.35031451e-05f, -4.20845799e-06f, 9.05471154e-07f);
  // Near zero the quotient is unused; a divisor of zero must not be met on the way.
  const T wide = select(outside, b, broadcast<T>(1.0f));
  const T s = 1.0f / (wide * wide);
  const T far = math::polynomial(s, -0.398936659f, 1.19541454f, -5.85914612f, 36.2219086f,
                                 -218.95932f, 1024.51611f, -3004.02441f, 3979.7063f);
  const T first = select(outside, broadcast<T>(0.398942292f), b * 0.5f);
  const T rest = select(outside, far * s - 1.13351701e-08f, near * b);
  const T sum = first + rest;
  const T error = rest - (sum - first);
  return math::scale(sum + (sum * e.fraction + error), e.exponent);
}

// x * P(X <= x) for a normal X.
template <class T>
[[gnu::always_inline]] inline T gelu(T x) {
  if constexpr (is_double<T>) {
    const double a = -0.70710678118654752440;
    const double z = a * x;
    // The rounding errors of a and of the product.
    const double a_high = upper_half(a), high = upper_half(x);
    const double low =
        (a_high * high - z) + a_high * (x - high) + (a - a_high) * x + x * 4.8336466567264565e-17;
    const double tail = std::erfc(z) - 1.1283791670955126 * std::exp(-z * z) * low;
    return x < -40.0 ? -0.0 : 0.5 * x * tail;
  } else {
    const T y = gelu_lower(abs(x));
    return select(less_than(x, T{}), -y, x - y);
  }
}

// The constants of z = x * (linear + cubic * x^2), in two parts; that of `cubic` has half the bits.
template <class T>
struct GeluTanh {
  static constexpr double linear = 1.59570312, linear_low = 6.59966057e-05, cubic = 0.0713500977,
                          cubic_low = 4.71861635e-06;
};
template <>
struct GeluTanh<double> {
  static constexpr double linear = 1.5957691073417664, linear_low = 1.4263964354337909e-08,
                          cubic = 0.071354815736413002, cubic_low = 5.3618724676217855e-10;
};

// x * sigmoid(z) with z = 2 sqrt(2 / pi) * (x + 0.044715 x^3), z in two parts. All products of
// upper halves are exact.
template <class T>
[[gnu::always_inline]] inline T gelu_tanh(T x) {
  using C = GeluTanh<T>;
  const T linear = exact<T>(C::linear), cubic = exact<T>(C::cubic);
  const T b = at_most(at_least(x, real<T>(-40.0f)), real<T>(40.0f));
  const T high = upper_half(b), low = b - high;
  const T square = high * high, square_low = low * (b + high);
  const T square_high = upper_half(square);
  const T term = square_high * cubic;
  const T factor = upper_half(linear + term);
  const T rest = (square - square_high + square_low) * cubic +
                 ((square + square_low) * exact<T>(C::cubic_low) + exact<T>(C::linear_low));
  const T factor_low = (linear - factor + term) + rest;
  return gate(x, high * factor, low * factor + b * factor_low);
}

}  // namespace fn
}  // namespace onnxc
