// floor.hpp - the largest integer not above x.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T floor(T x) {
  return each_lane(x, [](auto v) { return std::floor(v); });
}

}  // namespace fn
}  // namespace onnxc
