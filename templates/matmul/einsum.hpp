// einsum.hpp - sums of products over named axes.
#pragma once

#include <cstddef>
#include <utility>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"
#include "templates/fn/arithmetic.hpp"
#include "templates/reduction/reduce.hpp"

namespace onnxc {

namespace einsum_detail {

// x...: one pointer for each operand, moved by the strides of one axis after the other.
template <class C, int kAxes, int kAxis, class S, std::size_t... K, class A, class... X>
inline void add(S s, std::index_sequence<K...> operands, A& acc, const X*... x) {
  if constexpr (kAxis == kAxes) {
    C product = C{1};
    ((product = fn::mul(product, static_cast<C>(*x))), ...);
    acc = reduce_op::Sum<C>::add(acc, product);
  } else {
    for (Index i = 0; i < s.dims[kAxis]; ++i)
      add<C, kAxes, kAxis + 1>(s, operands, acc,
                               (x + i * s.strides[static_cast<Index>(K) * kAxes + kAxis])...);
  }
}

template <int kAxes, int kKept, int kAxis, class S, std::size_t... K, class T, class... X>
inline void walk(S s, std::index_sequence<K...> operands, T*& y, const X*... x) {
  if constexpr (kAxis == kKept) {
    using C = compute_t<T>;
    auto acc = reduce_op::Sum<C>::start();
    add<C, kAxes, kKept>(s, operands, acc, x...);
    *y++ = static_cast<T>(reduce_op::Sum<C>::finish(acc, 1));
  } else {
    for (Index i = 0; i < s.dims[kAxis]; ++i)
      walk<kAxes, kKept, kAxis + 1>(s, operands, y,
                                    (x + i * s.strides[static_cast<Index>(K) * kAxes + kAxis])...);
  }
}

}  // namespace einsum_detail

// y: the first kKept axes, dense; the others are summed over.  s: dims[kAxes], strides[operands *
// kAxes].
template <int kAxes, int kKept, class S, class T, class... X>
void einsum(S s, T* y, const X*... x) {
  einsum_detail::walk<kAxes, kKept, 0>(s, std::index_sequence_for<X...>{}, y, x...);
}

}  // namespace onnxc
