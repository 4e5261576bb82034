// softmax_axis.hpp - softmax or its logarithm along any axis, for any float type.
#pragma once

#include <cmath>

#include "runtime_min/types.hpp"

namespace onnxc {

// x, y: [outer, count, inner], the same memory or not overlapping.  s: outer, count, inner,
// logarithm. A slice of only minus infinities gives NaN, as the definition says.
template <class S, class T>
void softmax_axis(S s, const T* x, T* y) {
  using A = compute_t<T>;
  for (Index o = 0; o < s.outer; ++o) {
    for (Index i = 0; i < s.inner; ++i) {
      const Index start = o * s.count * s.inner + i;
      const auto value = [&](Index k) { return static_cast<A>(x[start + k * s.inner]); };
      A largest = s.count > 0 ? value(0) : A{};
      for (Index k = 1; k < s.count; ++k) largest = value(k) > largest ? value(k) : largest;
      A sum{};
      for (Index k = 0; k < s.count; ++k) sum += std::exp(value(k) - largest);
      const A offset = std::log(sum);
      for (Index k = 0; k < s.count; ++k) {
        const A shifted = value(k) - largest;
        y[start + k * s.inner] =
            static_cast<T>(s.logarithm ? shifted - offset : std::exp(shifted) / sum);
      }
    }
  }
}

}  // namespace onnxc
