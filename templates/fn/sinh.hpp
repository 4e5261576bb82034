// sinh.hpp - hyperbolic sine.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T sinh(T x) {
  return each_lane(x, [](auto v) { return std::sinh(v); });
}

}  // namespace fn
}  // namespace onnxc
