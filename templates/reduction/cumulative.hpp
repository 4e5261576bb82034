// cumulative.hpp - running sums and products along an axis.
#pragma once

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"
#include "templates/reduction/reduce.hpp"

namespace onnxc {

// Columns walked side by side, so that memory is read in order.
constexpr Index kCumulatedSide = 64;

// `lanes` columns from x and y on, as far apart as their elements follow each other.
template <class Op, class C, class S, class T>
inline void cumulate_columns(const S& s, Index lanes, const T* x, T* y) {
  typename Op::Acc acc[kCumulatedSide];
  for (Index l = 0; l < lanes; ++l) acc[l] = Op::start();
  Index at = s.reverse ? (s.extent - 1) * s.inner : 0;
  for (Index k = 0; k < s.extent; ++k, at += s.reverse ? -s.inner : s.inner) {
    for (Index l = 0; l < lanes; ++l) {
      const auto next = Op::add(acc[l], static_cast<C>(x[at + l]));
      y[at + l] = static_cast<T>(Op::finish(s.exclusive ? acc[l] : next, 1));
      acc[l] = next;
    }
  }
}

// x, y: [outer, extent, inner], the same memory or disjoint. Op: reduce_op::Sum or Prod.  s: outer,
// extent, inner, exclusive, reverse.
template <template <class> class Op, class S, class T>
void cumulative(S s, const T* x, T* y) {
  using C = compute_t<T>;
  if (s.extent == 0) return;
  for (Index o = 0; o < s.outer; ++o, x += s.extent * s.inner, y += s.extent * s.inner) {
    for (Index i = 0; i < s.inner; i += kCumulatedSide) {
      const Index rest = s.inner - i, lanes = rest < kCumulatedSide ? rest : kCumulatedSide;
      cumulate_columns<Op<C>, C>(s, lanes, x + i, y + i);
    }
  }
}

}  // namespace onnxc
