// acosh.hpp - inverse hyperbolic cosine.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T acosh(T x) {
  return each_lane(x, [](auto v) { return std::acosh(v); });
}

}  // namespace fn
}  // namespace onnxc
