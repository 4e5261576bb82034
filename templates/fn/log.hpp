// log.hpp - natural logarithm.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T log(T x) {
  if constexpr (is_double<T>)
    return std::log(x);
  else
    return math::log(x);
}

}  // namespace fn
}  // namespace onnxc
