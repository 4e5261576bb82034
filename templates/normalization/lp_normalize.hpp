// lp_normalize.hpp - divides slices along one axis by their norm of order 1 or 2.
#pragma once

#include <cmath>

#include "runtime_min/types.hpp"

namespace onnxc {

// x, y: [outer, count, inner]. A slice of norm zero gives zeros.  s: outer, count, inner, p.
template <class S, class T>
void lp_normalize(S s, const T* x, T* y) {
  using A = compute_t<T>;
  if (s.count == 0) return;
  for (Index o = 0; o < s.outer; ++o) {
    for (Index i = 0; i < s.inner; ++i) {
      const Index start = o * s.count * s.inner + i;
      A sum{};
      for (Index k = 0; k < s.count; ++k) {
        const A v = static_cast<A>(x[start + k * s.inner]);
        sum += s.p == 1 ? std::abs(v) : v * v;
      }
      const A norm = s.p == 1 ? sum : std::sqrt(sum);
      for (Index k = 0; k < s.count; ++k) {
        const Index at = start + k * s.inner;
        y[at] = static_cast<T>(norm == A{} ? A{} : static_cast<A>(x[at]) / norm);
      }
    }
  }
}

}  // namespace onnxc
