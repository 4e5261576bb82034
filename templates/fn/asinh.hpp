// asinh.hpp - inverse hyperbolic sine.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T asinh(T x) {
  return each_lane(x, [](auto v) { return std::asinh(v); });
}

}  // namespace fn
}  // namespace onnxc
