// mish.hpp - x * tanh(softplus(x)).
#pragma once

#include "templates/fn/softplus.hpp"
#include "templates/fn/tanh.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T mish(T x) {
  return x * tanh(softplus(x));
}

}  // namespace fn
}  // namespace onnxc
