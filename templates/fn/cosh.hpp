// cosh.hpp - hyperbolic cosine.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T cosh(T x) {
  return each_lane(x, [](auto v) { return std::cosh(v); });
}

}  // namespace fn
}  // namespace onnxc
