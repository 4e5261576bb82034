// asin.hpp - arc sine.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T asin(T x) {
  return each_lane(x, [](auto v) { return std::asin(v); });
}

}  // namespace fn
}  // namespace onnxc
