// activation.hpp - activation functions without a gate: rectifiers, sigmoids and shrinkage.
#pragma once

#include "runtime_min/math.hpp"
#include "runtime_min/select.hpp"
#include "templates/fn/arithmetic.hpp"
#include "templates/fn/exponential.hpp"
#include "templates/fn/integer.hpp"
#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T relu(T x) {
  return select(less_than(x, T{}), T{}, x);
}

// alpha * x for negative values.
template <class T>
[[gnu::always_inline]] inline T leaky_relu(T x, float alpha) {
  return select(less_than(x, T{}), x * real<T>(alpha), x);
}

template <class T>
[[gnu::always_inline]] inline T prelu(T x, T slope) {
  return select(less_than(x, T{}), mul(x, slope), x);
}

// The value above alpha, else 0.
template <class T>
[[gnu::always_inline]] inline T thresholded_relu(T x, float alpha) {
  return select(greater_than(x, real<T>(alpha)), x, T{});
}

// alpha * (exp(x) - 1) for negative values.
template <class T>
[[gnu::always_inline]] inline T elu(T x, float alpha) {
  return select_computed(
      less_than(x, T{}), [&] { return expm1(x) * real<T>(alpha); }, x);
}

// alpha * (exp(x / alpha) - 1) for negative values.
template <class T>
[[gnu::always_inline]] inline T celu(T x, float alpha) {
  return select_computed(
      less_than(x, T{}), [&] { return expm1(x / real<T>(alpha)) * real<T>(alpha); }, x);
}

// gamma * elu(x, alpha). The product with the constant factor of the negative values is rounded
// once: that of the upper halves is exact.
template <class T>
[[gnu::always_inline]] inline T selu(T x, float alpha, float gamma) {
  const double factor = static_cast<double>(alpha) * static_cast<double>(gamma);
  const T y = expm1(x);
  if constexpr (is_double<T>) {
    return select(less_than(x, T{}), y * factor, x * real<T>(gamma));
  } else {
    const float high = upper_half(static_cast<float>(factor));
    const T low = real<T>(static_cast<float>(factor - static_cast<double>(high)));
    const T y_high = upper_half(y);
    return select(less_than(x, T{}), y_high * high + ((y - y_high) * high + y * low),
                  x * real<T>(gamma));
  }
}

// Moves values beyond lambda towards 0 by bias; others become 0.
template <class T>
[[gnu::always_inline]] inline T shrink(T x, float lambda, float bias) {
  if constexpr (std::is_integral_v<T>) {
    return to_integer<T>(shrink(static_cast<float>(x), lambda, bias));
  } else {
    const T l = real<T>(lambda), b = real<T>(bias);
    const T upper = select(greater_than(x, l), x - b, T{});
    return select(less_than(x, -l), x + b, upper);
  }
}

template <class T>
[[gnu::always_inline]] inline T sigmoid(T x) {
  if constexpr (is_double<T>)
    return x < 0.0 ? std::exp(x) / (1.0 + std::exp(x)) : 1.0 / (1.0 + std::exp(-x));
  else
    return math::sigmoid(x);
}

// alpha * x + beta between 0 and 1.
template <class T>
[[gnu::always_inline]] inline T hard_sigmoid(T x, float alpha, float beta) {
  // Near the zero of the line the sum cancels and the rounding of a product would be what is left:
  // these have none.
  const T a = real<T>(alpha), a_high = upper_half(a), a_low = a - a_high;
  const T b = at_most(at_least(x, real<T>(-1e30f)), real<T>(1e30f));
  const T high = upper_half(b), low = b - high;
  const T line = a_high * high + real<T>(beta) + a_high * low + a_low * high + a_low * low;
  return at_most(at_least(line, T{}), real<T>(1.0f));
}

// log(1 + exp(x)), without overflow and without loss for negative values.
template <class T>
[[gnu::always_inline]] inline T softplus(T x) {
  if constexpr (is_double<T>)
    return at_least(x, T{}) + std::log1p(std::exp(-std::fabs(x)));
  else
    return math::softplus(x);
}

// x / (1 + |x|).
template <class T>
[[gnu::always_inline]] inline T softsign(T x) {
  // Infinity over infinity would be NaN; far below it the quotient is one already.
  const T bounded = at_most(at_least(x, real<T>(-1e30f)), real<T>(1e30f));
  return bounded / (real<T>(1.0f) + abs(bounded));
}

}  // namespace fn
}  // namespace onnxc
