// atanh.hpp - inverse hyperbolic tangent.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T atanh(T x) {
  return each_lane(x, [](auto v) { return std::atanh(v); });
}

}  // namespace fn
}  // namespace onnxc
