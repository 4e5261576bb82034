// tan.hpp - tangent.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T tan(T x) {
  return each_lane(x, [](auto v) { return std::tan(v); });
}

}  // namespace fn
}  // namespace onnxc
