// top_k.hpp - the k largest or smallest elements along an axis, sorted.
#pragma once

#include <cstdint>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

namespace top_k_detail {

// Whether element i of the row goes before element k; NaN is larger than everything, equals go by
// position.
template <class C, class T>
inline bool before(const T* x, Index step, bool largest, std::int64_t i, std::int64_t k) {
  const C a = static_cast<C>(x[static_cast<Index>(i) * step]),
          b = static_cast<C>(x[static_cast<Index>(k) * step]);
  const bool a_nan = a != a, b_nan = b != b;
  const bool same = a_nan ? b_nan : a == b;
  if (same) return i < k;
  const bool greater = a_nan || (!b_nan && a > b);
  return greater == largest;
}

}  // namespace top_k_detail

// x: [outer, extent, inner], values and indices: [outer, k, inner]; k <= extent. The chosen indices
// are kept as a heap with the last of them on top.  s: outer, extent, inner, k, largest.
template <class S, class T>
void top_k(S s, const T* x, T* values, std::int64_t* indices) {
  using C = compute_t<T>;
  const Index step = s.inner;
  const auto before = [&](const T* row, std::int64_t i, std::int64_t k) {
    return top_k_detail::before<C>(row, step, s.largest, i, k);
  };
  // Moves v down from the top of a heap of n.
  const auto sink = [&](const T* row, std::int64_t* heap, Index n, std::int64_t v) {
    Index at = 0;
    for (Index child = 1; child < n; child = 2 * at + 1) {
      if (child + 1 < n && before(row, heap[child * step], heap[(child + 1) * step])) ++child;
      if (!before(row, v, heap[child * step])) break;
      heap[at * step] = heap[child * step];
      at = child;
    }
    heap[at * step] = v;
  };
  if (s.k == 0) return;
  for (Index o = 0; o < s.outer;
       ++o, x += s.extent * step, values += s.k * step, indices += s.k * step)
    for (Index i = 0; i < step; ++i) {
      const T* row = x + i;
      std::int64_t* heap = indices + i;
      for (Index n = 0; n < s.k; ++n) {
        Index at = n;
        for (; at > 0 && before(row, heap[(at - 1) / 2 * step], n); at = (at - 1) / 2)
          heap[at * step] = heap[(at - 1) / 2 * step];
        heap[at * step] = n;
      }
      C top = static_cast<C>(row[static_cast<Index>(heap[0]) * step]);
      for (Index n = s.k; n < s.extent; ++n) {
        const C v = static_cast<C>(row[n * step]);
        if (s.largest ? v <= top : v >= top) continue;  // most of a long row; never with NaN
        if (!before(row, n, heap[0])) continue;
        sink(row, heap, s.k, n);
        top = static_cast<C>(row[static_cast<Index>(heap[0]) * step]);
      }
      for (Index n = s.k; n-- > 1;) {
        const std::int64_t last = heap[n * step];
        heap[n * step] = heap[0];
        sink(row, heap, n, last);
      }
      for (Index n = 0; n < s.k; ++n)
        values[i + n * step] = row[static_cast<Index>(heap[n * step]) * step];
    }
}

}  // namespace onnxc
