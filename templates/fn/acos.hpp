// acos.hpp - arc cosine.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T acos(T x) {
  return each_lane(x, [](auto v) { return std::acos(v); });
}

}  // namespace fn
}  // namespace onnxc
