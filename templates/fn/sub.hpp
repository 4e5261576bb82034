// sub.hpp - difference; integers wrap.
#pragma once

#include <type_traits>

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T sub(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<wrap_t<T>>(a) - static_cast<wrap_t<T>>(b));
  else
    return a - b;
}

}  // namespace fn
}  // namespace onnxc
