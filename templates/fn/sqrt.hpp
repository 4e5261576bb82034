// sqrt.hpp - square root.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T sqrt(T x) {
  return each_lane(x, [](auto v) { return std::sqrt(v); });
}

}  // namespace fn
}  // namespace onnxc
