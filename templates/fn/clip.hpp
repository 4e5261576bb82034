// clip.hpp - min(max(x, low), high); NaN stays.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

// Bounds of x's type, or float literals.
template <class T, class B>
[[gnu::always_inline]] inline T clip(T x, B low, B high) {
  if constexpr (std::is_same_v<T, B>)
    return at_most(at_least(x, low), high);
  else
    return clip(x, real<T>(low), real<T>(high));
}

}  // namespace fn
}  // namespace onnxc
