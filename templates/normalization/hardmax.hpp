// hardmax.hpp - 1 at the first largest element along an axis, 0 elsewhere.
#pragma once

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// x, y: [outer, extent, inner], not the same memory.  s: outer, extent, inner.
template <class S, class T>
void hardmax(S s, const T* x, T* y) {
  using C = compute_t<T>;
  if (s.extent == 0 || s.inner == 0) return;
  for (Index o = 0; o < s.outer; ++o, x += s.extent * s.inner, y += s.extent * s.inner)
    for (Index i = 0; i < s.inner; ++i) {
      Index best = 0;
      for (Index k = 0; k < s.extent; ++k) {
        y[k * s.inner + i] = static_cast<T>(0);
        if (static_cast<C>(x[k * s.inner + i]) > static_cast<C>(x[best * s.inner + i])) best = k;
      }
      y[best * s.inner + i] = static_cast<T>(1);
    }
}

}  // namespace onnxc
