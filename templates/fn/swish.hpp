// swish.hpp - x * sigmoid(alpha * x).
#pragma once

#include "templates/fn/sigmoid.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T swish(T x, float alpha) {
  return x * sigmoid(x * real<T>(alpha));
}

}  // namespace fn
}  // namespace onnxc
