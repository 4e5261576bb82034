// neg.hpp - -x; the most negative integer wraps.
#pragma once

#include <type_traits>

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T neg(T x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(wrap_t<T>{0} - static_cast<wrap_t<T>>(x));
  else
    return -x;
}

}  // namespace fn
}  // namespace onnxc
