// arg_reduce.hpp - where along an axis the largest or smallest element is.
#pragma once

#include <cstdint>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// x: [outer, extent, inner], y: [outer, inner]. Among equals the first, or the last; NaN is beyond
// everything; an empty axis gives 0. s: outer, extent, inner, largest, last.
template <class S, class T>
void arg_reduce(S s, const T* x, std::int64_t* y) {
  using C = compute_t<T>;
  for (Index o = 0; o < s.outer; ++o, x += s.extent * s.inner)
    for (Index i = 0; i < s.inner; ++i, ++y) {
      Index best = 0;
      C value = s.extent > 0 ? static_cast<C>(x[i]) : C{};
      for (Index k = 1; k < s.extent; ++k) {
        const C v = static_cast<C>(x[k * s.inner + i]);
        const bool beyond = s.largest ? v > value : v < value;
        const bool equal = v == value || (v != v && value != value);
        if ((beyond && value == value) || (v != v && value == value) || (s.last && equal)) {
          best = k;
          value = v;
        }
      }
      *y = best;
    }
}

}  // namespace onnxc
