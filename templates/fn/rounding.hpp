// rounding.hpp - the nearest integer, below, above or on either side.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T floor(T x) {
  return each_lane(x, [](auto v) { return std::floor(v); });
}

template <class T>
[[gnu::always_inline]] inline T ceil(T x) {
  return each_lane(x, [](auto v) { return std::ceil(v); });
}

// Halves to even.
template <class T>
[[gnu::always_inline]] inline T round(T x) {
  return each_lane(x, [](auto v) { return std::nearbyint(v); });
}

}  // namespace fn
}  // namespace onnxc
