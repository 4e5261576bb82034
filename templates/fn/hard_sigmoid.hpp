// hard_sigmoid.hpp - alpha * x + beta between 0 and 1.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T hard_sigmoid(T x, float alpha, float beta) {
  return at_most(at_least(x * real<T>(alpha) + real<T>(beta), T{}), real<T>(1.0f));
}

}  // namespace fn
}  // namespace onnxc
