// range.hpp - an arithmetic sequence.
#pragma once

#include <type_traits>

#include "runtime_min/types.hpp"

namespace onnxc {

// start, delta: [1]. y: [count].  s: count.
template <class S, class T>
void range(S s, const T* start, const T* delta, T* y) {
  using C = compute_t<T>;
  const C first = static_cast<C>(*start), step = static_cast<C>(*delta);
  for (Index i = 0; i < s.count; ++i) {
    if constexpr (std::is_integral_v<C>) {
      using W = wrap_t<C>;
      y[i] = static_cast<T>(static_cast<W>(first) + static_cast<W>(i) * static_cast<W>(step));
    } else {
      y[i] = static_cast<T>(first + static_cast<C>(i) * step);
    }
  }
}

}  // namespace onnxc
