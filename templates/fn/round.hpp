// round.hpp - the nearest integer, halves to even.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T round(T x) {
  return each_lane(x, [](auto v) { return std::nearbyint(v); });
}

}  // namespace fn
}  // namespace onnxc
