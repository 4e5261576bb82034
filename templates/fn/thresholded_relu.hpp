// thresholded_relu.hpp - the value above alpha, else 0.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T thresholded_relu(T x, float alpha) {
  return select(greater_than(x, real<T>(alpha)), x, T{});
}

}  // namespace fn
}  // namespace onnxc
