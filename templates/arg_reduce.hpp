// arg_reduce.hpp - where along an axis the largest or smallest element is.
#pragma once

#include <cstdint>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// Elements walked side by side: of columns, so that memory is read in order, and of rows.
constexpr Index kArgColumns = 64, kArgLanes = 16;

// Whether v goes before old whatever their places, and whether only these decide.
template <class S, class C>
inline bool arg_before(const S& s, C v, C old) {
  return (s.largest ? v > old : v < old) | ((v != v) & (old == old));
}
template <class C>
inline bool arg_equal(C v, C old) {
  return (v == old) | ((v != v) & (old != old));
}

// For each of `lanes` columns of `rows` elements, one at least, `step` apart: which row is the one.
template <class S, class T, class C>
inline void arg_columns(const S& s, Index lanes, Index rows, Index step, const T* x, C* value,
                        std::int32_t* best) {
  for (Index l = 0; l < lanes; ++l) {
    value[l] = static_cast<C>(x[l]);
    best[l] = 0;
  }
  for (std::int32_t k = 1; k < rows; ++k) {
    const T* row = x + k * step;
    for (Index l = 0; l < lanes; ++l) {
      const C v = static_cast<C>(row[l]), old = value[l];
      const bool taken = arg_before(s, v, old) | (s.last & arg_equal(v, old));
      value[l] = taken ? v : old;
      best[l] = taken ? k : best[l];
    }
  }
}

// Of one row, by its lanes and what is left of it.
template <class S, class T>
inline std::int64_t arg_row(const S& s, const T* x) {
  using C = compute_t<T>;
  const Index rows = s.extent / kArgLanes;
  Index best = 0;
  C value = static_cast<C>(x[0]);
  const auto offer = [&](C v, Index at) {
    const bool farther = s.last ? at > best : at < best;
    if (!arg_before(s, v, value) && !(arg_equal(v, value) && farther)) return;
    value = v;
    best = at;
  };
  if (rows > 0) {
    C values[kArgLanes];
    std::int32_t places[kArgLanes];
    arg_columns(s, kArgLanes, rows, kArgLanes, x, values, places);
    for (Index l = 0; l < kArgLanes; ++l) offer(values[l], places[l] * kArgLanes + l);
  }
  for (Index i = rows * kArgLanes; i < s.extent; ++i) offer(static_cast<C>(x[i]), i);
  return best;
}

// x: [outer, extent, inner], y: [outer, inner]. Among equals the first, or the last; NaN is beyond
// everything; an empty axis gives 0. s: outer, extent (below 2^31), inner, largest, last.
template <class S, class T>
void arg_reduce(S s, const T* x, std::int64_t* y) {
  for (Index o = 0; o < s.outer; ++o, x += s.extent * s.inner, y += s.inner) {
    for (Index i = 0; i < s.inner; i += kArgColumns) {
      const Index rest = s.inner - i, lanes = rest < kArgColumns ? rest : kArgColumns;
      if (s.extent == 0) {
        for (Index l = 0; l < lanes; ++l) y[i + l] = 0;
      } else if (s.inner == 1) {
        y[0] = arg_row(s, x);
      } else {
        compute_t<T> values[kArgColumns];
        std::int32_t best[kArgColumns];
        arg_columns(s, lanes, s.extent, s.inner, x + i, values, best);
        for (Index l = 0; l < lanes; ++l) y[i + l] = best[l];
      }
    }
  }
}

}  // namespace onnxc
