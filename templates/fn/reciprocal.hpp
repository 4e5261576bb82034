// reciprocal.hpp - 1 / x.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T reciprocal(T x) {
  return real<T>(1.0f) / x;
}

}  // namespace fn
}  // namespace onnxc
