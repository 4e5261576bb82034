// reference.hpp - the functions by definitions that lose nothing to cancellation or overflow, for
// double (against float results) and long double (against double results).
#pragma once

#include <cmath>

namespace reference {

using std::acos;
using std::acosh;
using std::asin;
using std::asinh;
using std::atan;
using std::atanh;
using std::ceil;
using std::cos;
using std::cosh;
using std::erf;
using std::exp;
using std::floor;
using std::log;
using std::nearbyint;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;

// The constants of the standard, rounded once to R.
template <class R>
constexpr R kSqrtHalf = static_cast<R>(0.7071067811865475244008443621048490L);
template <class R>
constexpr R kSqrtTwoOverPi = static_cast<R>(0.7978845608028653558798921198687637L);

template <class R>
R elu(R x, float alpha) {
  return x < 0 ? std::expm1(x) * static_cast<R>(alpha) : x;
}

template <class R>
R celu(R x, float alpha) {
  return x < 0 ? std::expm1(x / static_cast<R>(alpha)) * static_cast<R>(alpha) : x;
}

template <class R>
R selu(R x, float alpha, float gamma) {
  return elu(x, alpha) * static_cast<R>(gamma);
}

template <class R>
R leaky_relu(R x, float alpha) {
  return x < 0 ? x * static_cast<R>(alpha) : x;
}

template <class R>
R sigmoid(R x) {
  const R e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

// Infinity times a zero that is only the limit of a faster decay: the limit.
template <class R>
R decayed(R x, R factor) {
  return x < 0 && std::isinf(x) ? -R{0} : x * factor;
}

template <class R>
R swish(R x, float alpha) {
  return decayed(x, sigmoid(x * static_cast<R>(alpha)));
}

template <class R>
R gelu(R x) {
  return decayed(x, std::erfc(-x * kSqrtHalf<R>) / 2);
}

template <class R>
R gelu_tanh(R x) {
  const R cubic = x + static_cast<R>(0.044715L) * x * x * x;
  return decayed(x, sigmoid(2 * kSqrtTwoOverPi<R> * cubic));
}

template <class R>
R softplus(R x) {
  return (x > 0 ? x : x == x ? 0 : x) + std::log1p(std::exp(-std::fabs(x)));
}

template <class R>
R mish(R x) {
  return decayed(x, std::tanh(softplus(x)));
}

template <class R>
R softsign(R x) {
  return std::isinf(x) ? std::copysign(R{1}, x) : x / (1 + std::fabs(x));
}

template <class R>
R unit_clip(R x) {
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

template <class R>
R hard_sigmoid(R x, float alpha, float beta) {
  return unit_clip(std::fma(x, static_cast<R>(alpha), static_cast<R>(beta)));
}

template <class R>
R hard_swish(R x) {
  return x < -3 ? -R{0} : x > 3 ? x : x * (x + 3) / 6;
}

}  // namespace reference
