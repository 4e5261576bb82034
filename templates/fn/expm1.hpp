// expm1.hpp - exp(x) - 1 without cancellation near zero; x above 88 counts as 88 where it is no
// double.
#pragma once

#include <cmath>

#include "runtime_min/math.hpp"
#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T expm1(T x) {
  if constexpr (is_double<T>)
    return std::expm1(x);
  else
    return math::expm1(x);
}

}  // namespace fn
}  // namespace onnxc
