// arg_reduce.hpp - where along an axis the largest or smallest element is.
#pragma once

#include <cstdint>
#include <limits>

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
// I holds the number of rows; narrow ones are faster.
template <class I, class S, class T, class C>
inline void arg_columns(const S& s, Index lanes, I rows, Index step, const T* x, C* value,
                        I* best) {
  for (Index l = 0; l < lanes; ++l) {
    value[l] = static_cast<C>(x[l]);
    best[l] = 0;
  }
  for (I k = 1; k < rows; ++k) {
    const T* row = x + static_cast<Index>(k) * step;
    for (Index l = 0; l < lanes; ++l) {
      const C v = static_cast<C>(row[l]), old = value[l];
      const bool before = arg_before(s, v, old), equal = arg_equal(v, old);
      const bool taken = before | (s.last & equal);  // no branch, so that compilers use vectors
      value[l] = taken ? v : old;
      best[l] = taken ? k : best[l];
    }
  }
}

// Of one row, by its lanes and what is left of it.
template <class I, class S, class T>
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
    I places[kArgLanes];
    arg_columns<I>(s, kArgLanes, static_cast<I>(rows), kArgLanes, x, values, places);
    for (Index l = 0; l < kArgLanes; ++l)
      offer(values[l], static_cast<Index>(places[l]) * kArgLanes + l);
  }
  for (Index i = rows * kArgLanes; i < s.extent; ++i) offer(static_cast<C>(x[i]), i);
  return best;
}

template <class I, class S, class T>
void arg_reduce_by(const S& s, const T* x, std::int64_t* y) {
  for (Index o = 0; o < s.outer; ++o, x += s.extent * s.inner, y += s.inner) {
    for (Index i = 0; i < s.inner; i += kArgColumns) {
      const Index rest = s.inner - i, lanes = rest < kArgColumns ? rest : kArgColumns;
      if (s.extent == 0) {
        for (Index l = 0; l < lanes; ++l) y[i + l] = 0;
      } else if (s.inner == 1) {
        y[0] = arg_row<I>(s, x);
      } else {
        compute_t<T> values[kArgColumns];
        I best[kArgColumns];
        arg_columns<I>(s, lanes, static_cast<I>(s.extent), s.inner, x + i, values, best);
        for (Index l = 0; l < lanes; ++l) y[i + l] = best[l];
      }
    }
  }
}

// x: [outer, extent, inner], y: [outer, inner]. Among equals the first, or the last; NaN is beyond
// everything; an empty axis gives 0. s: outer, extent, inner, largest, last.
template <class S, class T>
void arg_reduce(S s, const T* x, std::int64_t* y) {
  if (s.extent <= std::numeric_limits<std::int32_t>::max())
    arg_reduce_by<std::int32_t>(s, x, y);
  else
    arg_reduce_by<std::int64_t>(s, x, y);
}

}  // namespace onnxc
