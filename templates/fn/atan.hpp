// atan.hpp - arc tangent.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T atan(T x) {
  return each_lane(x, [](auto v) { return std::atan(v); });
}

}  // namespace fn
}  // namespace onnxc
