// top_k.hpp - the k largest or smallest elements along an axis, sorted.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/simd.hpp"
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

// The row's elements as their positions, compared by what is there.
template <class C, class T>
struct Positions {
  const T* x;
  Index step;
  bool largest;

  std::int64_t item(Index n) const { return n; }
  static Index position(std::int64_t item) { return static_cast<Index>(item); }
  bool before(std::int64_t i, std::int64_t k) const {
    return top_k_detail::before<C>(x, step, largest, i, k);
  }
};

// As numbers that are in order what the elements are: the element, as an unsigned integer in the
// order wanted, above its position. A comparison reads no memory, and has no branch.
template <class C, class T>
struct Keys {
  const T* x;
  Index step;
  bool largest;

  static std::uint32_t ordered(C v) {
    constexpr std::uint32_t sign = 0x80000000u;
    if constexpr (std::is_floating_point_v<C>) {
      if (v != v) return 0xffffffffu;
      const std::uint32_t bits = to_bits(v + C{0});  // -0 is 0
      return (bits & sign) != 0 ? ~bits : bits | sign;
    } else {
      return static_cast<std::uint32_t>(v) ^ (std::is_signed_v<C> ? sign : 0u);
    }
  }

  std::int64_t item(Index n) const {
    const std::uint32_t key = ordered(static_cast<C>(x[n * step]));
    const std::uint64_t high = largest ? ~key : key;
    return static_cast<std::int64_t>(high << 32 | static_cast<std::uint32_t>(n));
  }
  static Index position(std::int64_t item) { return static_cast<Index>(item & 0xffffffff); }
  static bool before(std::int64_t i, std::int64_t k) {
    return static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(k);
  }
};

// Moves v up in a heap, with the last on top, from `at` to where its parent is not before it.
template <class R>
inline void rise(const R& row, std::int64_t* heap, Index at, std::int64_t v) {
  for (; at > 0 && row.before(heap[(at - 1) / 2 * row.step], v); at = (at - 1) / 2)
    heap[at * row.step] = heap[(at - 1) / 2 * row.step];
  heap[at * row.step] = v;
}

// Puts v in place of the top of a heap of n: the later children move up, and v from the bottom, to
// which it mostly belongs. That takes half the comparisons of moving it down.
template <class R>
inline void sink(const R& row, std::int64_t* heap, Index n, std::int64_t v) {
  Index at = 0;
  for (Index child = 1; child < n; child = 2 * at + 1) {
    if (child + 1 < n)
      child += static_cast<Index>(row.before(heap[child * row.step], heap[(child + 1) * row.step]));
    heap[at * row.step] = heap[child * row.step];
    at = child;
  }
  rise(row, heap, at, v);
}

// The items of the k first elements, in order, `step` apart.
template <class C, class R, class S>
inline void first_items(const S& s, const R& row, std::int64_t* heap) {
  const Index step = row.step;
  for (Index n = 0; n < s.k; ++n) rise(row, heap, n, row.item(n));
  C top = static_cast<C>(row.x[R::position(heap[0]) * step]);
  for (Index n = s.k; n < s.extent; ++n) {
    const C v = static_cast<C>(row.x[n * step]);
    if (s.largest ? v <= top : v >= top) continue;  // most of a long row; never with NaN
    const std::int64_t item = row.item(n);
    if (!row.before(item, heap[0])) continue;
    sink(row, heap, s.k, item);
    top = static_cast<C>(row.x[R::position(heap[0]) * step]);
  }
  for (Index n = s.k; n-- > 1;) {
    const std::int64_t last = heap[n * step];
    heap[n * step] = heap[0];
    sink(row, heap, n, last);
  }
}

// The first k of every row, and where they are.
template <class C, class Row, class S, class T>
inline void all_rows(const S& s, const T* x, T* values, std::int64_t* indices) {
  const Index step = s.inner;
  for (Index o = 0; o < s.outer;
       ++o, x += s.extent * step, values += s.k * step, indices += s.k * step)
    for (Index i = 0; i < step; ++i) {
      const Row row = {x + i, step, s.largest};
      first_items<C>(s, row, indices + i);
      for (Index n = 0; n < s.k; ++n) {
        const Index at = Row::position(indices[i + n * step]);
        indices[i + n * step] = at;
        values[i + n * step] = row.x[at * step];
      }
    }
}

}  // namespace top_k_detail

// x: [outer, extent, inner], values and indices: [outer, k, inner]; k <= extent. The chosen
// elements are kept in `indices` as a heap with the last of them on top. s: outer, extent, inner,
// k, largest.
template <class S, class T>
void top_k(S s, const T* x, T* values, std::int64_t* indices) {
  using C = compute_t<T>;
  if (s.k == 0) return;
  if constexpr (sizeof(C) <= 4 && !kLittleCode)
    if (static_cast<std::uint64_t>(s.extent) >> 32 == 0)  // a key has room for the position
      return top_k_detail::all_rows<C, top_k_detail::Keys<C, T>>(s, x, values, indices);
  top_k_detail::all_rows<C, top_k_detail::Positions<C, T>>(s, x, values, indices);
}

}  // namespace onnxc
