// det.hpp - determinants of square matrices, by elimination with row pivots.
#pragma once

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// x: [batch, size, size], y: [batch], work: [size, size].  s: batch, size.
template <class S, class T, class C>
void det(S s, const T* x, T* y, C* work) {
  const Index n = s.size;
  const auto magnitude = [](C v) { return v < C{0} ? -v : v; };
  for (Index b = 0; b < s.batch; ++b, x += n * n) {
    for (Index i = 0; i < n * n; ++i) work[i] = static_cast<C>(x[i]);
    C result = C{1};
    for (Index k = 0; k < n; ++k) {
      Index pivot = k;
      for (Index r = k + 1; r < n; ++r)
        if (magnitude(work[r * n + k]) > magnitude(work[pivot * n + k])) pivot = r;
      for (Index c = k; c < n && pivot != k; ++c) {
        const C v = work[k * n + c];
        work[k * n + c] = work[pivot * n + c];
        work[pivot * n + c] = v;
      }
      const C d = work[k * n + k];
      result *= pivot == k ? d : -d;
      if (d == C{0}) break;
      for (Index r = k + 1; r < n; ++r) {
        const C f = work[r * n + k] / d;
        for (Index c = k; c < n; ++c) work[r * n + c] -= f * work[k * n + c];
      }
    }
    y[b] = static_cast<T>(result);
  }
}

}  // namespace onnxc
