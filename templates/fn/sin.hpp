// sin.hpp - sine.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T sin(T x) {
  return each_lane(x, [](auto v) { return std::sin(v); });
}

}  // namespace fn
}  // namespace onnxc
