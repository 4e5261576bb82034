// selu.hpp - gamma * elu(x, alpha).
#pragma once

#include "templates/fn/elu.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T selu(T x, float alpha, float gamma) {
  return elu(x, alpha) * real<T>(gamma);
}

}  // namespace fn
}  // namespace onnxc
