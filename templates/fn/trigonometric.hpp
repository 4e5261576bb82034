// trigonometric.hpp - sine, cosine, tangent and their inverses.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T sin(T x) {
  return each_lane(x, [](auto v) { return std::sin(v); });
}

template <class T>
[[gnu::always_inline]] inline T cos(T x) {
  return each_lane(x, [](auto v) { return std::cos(v); });
}

template <class T>
[[gnu::always_inline]] inline T tan(T x) {
  return each_lane(x, [](auto v) { return std::tan(v); });
}

template <class T>
[[gnu::always_inline]] inline T asin(T x) {
  return each_lane(x, [](auto v) { return std::asin(v); });
}

template <class T>
[[gnu::always_inline]] inline T acos(T x) {
  return each_lane(x, [](auto v) { return std::acos(v); });
}

template <class T>
[[gnu::always_inline]] inline T atan(T x) {
  return each_lane(x, [](auto v) { return std::atan(v); });
}

}  // namespace fn
}  // namespace onnxc
