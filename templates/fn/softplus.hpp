// softplus.hpp - log(1 + exp(x)), without overflow and without loss for negative values.
#pragma once

#include <cmath>

#include "runtime_min/math.hpp"
#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T softplus(T x) {
  if constexpr (is_double<T>)
    return at_least(x, T{}) + std::log1p(std::exp(-std::fabs(x)));
  else
    return math::softplus(x);
}

}  // namespace fn
}  // namespace onnxc
