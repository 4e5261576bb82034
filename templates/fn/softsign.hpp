// softsign.hpp - x / (1 + |x|).
#pragma once

#include "templates/fn/abs.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T softsign(T x) {
  return x / (real<T>(1.0f) + abs(x));
}

}  // namespace fn
}  // namespace onnxc
