// cos.hpp - cosine.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T cos(T x) {
  return each_lane(x, [](auto v) { return std::cos(v); });
}

}  // namespace fn
}  // namespace onnxc
