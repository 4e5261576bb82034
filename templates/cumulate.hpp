// cumulate.hpp - running sums and products along an axis.
#pragma once

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"
#include "templates/reduce.hpp"

namespace onnxc {

// x, y: [outer, extent, inner]. Op: reduce_op::Sum or Prod.  s: outer, extent, inner, exclusive,
// reverse.
template <template <class> class Op, class S, class T>
void cumulate(S s, const T* x, T* y) {
  using C = compute_t<T>;
  const Index first = s.reverse ? (s.extent - 1) * s.inner : 0,
              step = s.reverse ? -s.inner : s.inner;
  for (Index o = 0; o < s.outer; ++o, x += s.extent * s.inner, y += s.extent * s.inner)
    for (Index i = 0; i < s.inner; ++i) {
      auto acc = Op<C>::start();
      for (Index k = 0, at = first + i; k < s.extent; ++k, at += step) {
        const C v = static_cast<C>(x[at]);
        if (s.exclusive) y[at] = static_cast<T>(Op<C>::finish(acc, 1));
        acc = Op<C>::add(acc, v);
        if (!s.exclusive) y[at] = static_cast<T>(Op<C>::finish(acc, 1));
      }
    }
}

}  // namespace onnxc
