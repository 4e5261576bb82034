// hyperbolic.hpp - hyperbolic sine, cosine, tangent and their inverses.
#pragma once

#include <cmath>

#include "runtime_min/math.hpp"
#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T sinh(T x) {
  return each_lane(x, [](auto v) { return std::sinh(v); });
}

template <class T>
[[gnu::always_inline]] inline T cosh(T x) {
  return each_lane(x, [](auto v) { return std::cosh(v); });
}

template <class T>
[[gnu::always_inline]] inline T tanh(T x) {
  if constexpr (is_double<T>)
    return std::tanh(x);
  else
    return math::tanh(x);
}

template <class T>
[[gnu::always_inline]] inline T asinh(T x) {
  return each_lane(x, [](auto v) { return std::asinh(v); });
}

// Near one, where C libraries are least accurate in float, with t = x - 1: sqrt(2 t) * (1 - t / 12
// + ...).
inline float acosh(float x) {
  if (!(x < 1.5f)) return std::acosh(x);
  const float t = x - 1.0f, root = std::sqrt(t + t);
  const float p = math::polynomial(t, -0.0833333358f, 0.0187501945f, -0.00558266556f,
                                   0.00190563989f, -0.000687509659f, 0.000191092506f);
  return root + root * (t * p);
}

template <class T>
[[gnu::always_inline]] inline T acosh(T x) {
  if constexpr (is_double<T>)
    return std::acosh(x);
  else
    return each_lane(x, [](float v) { return acosh(v); });
}

template <class T>
[[gnu::always_inline]] inline T atanh(T x) {
  return each_lane(x, [](auto v) { return std::atanh(v); });
}

}  // namespace fn
}  // namespace onnxc
