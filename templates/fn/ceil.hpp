// ceil.hpp - the smallest integer not below x.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T ceil(T x) {
  return each_lane(x, [](auto v) { return std::ceil(v); });
}

}  // namespace fn
}  // namespace onnxc
