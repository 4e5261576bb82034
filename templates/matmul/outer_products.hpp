// outer_products.hpp - matrix products whose left operand is transposed: sums of outer products of
// the rows of two matrices. Neither of them is packed, as both are read row by row.
#pragma once

#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// y [m, n] = a [depth, m] transposed * b [depth, n], added to y if `accumulate`; rows lda, ldb and
// ldy floats apart.
struct OuterProducts {
  const float *a, *b;
  float* y;
  Index depth, m, n, lda, ldb, ldy;
  bool accumulate;
};

// ROWS rows from i on and COUNT vectors of columns from j on. The sums stay in registers.
template <class V, int COUNT, int ROWS>
[[gnu::noinline]] void outer_tile(const OuterProducts& t, Index i, Index j) {
  constexpr std::size_t rows = ROWS, vectors = COUNT;
  V sum[rows][vectors] = {};
  float* y = t.y + i * t.ldy + j;
  if (t.accumulate) {
#pragma GCC unroll 16
    for (std::size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < COUNT; ++v)
        sum[r][v] = load<V>(y + static_cast<Index>(r) * t.ldy + v * lanes<V>);
    }
  }
  const float *a = t.a + i, *b = t.b + j;
#pragma GCC unroll 1
  for (Index k = 0; k < t.depth; ++k, a += t.lda, b += t.ldb) {
    V column[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < COUNT; ++v) column[v] = load<V>(b + v * lanes<V>);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < rows; ++r) {
      const V left = broadcast<V>(a[r]);
#pragma GCC unroll 4
      for (int v = 0; v < COUNT; ++v) sum[r][v] += left * column[v];
    }
  }
#pragma GCC unroll 16
  for (std::size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < COUNT; ++v)
      store(y + static_cast<Index>(r) * t.ldy + v * lanes<V>, sum[r][v]);
  }
}

// All rows of COUNT vectors of columns: tiles of ROWS rows, then of half as many.
template <class V, int COUNT, int ROWS>
void outer_rows(const OuterProducts& t, Index i, Index j) {
  for (; i + ROWS <= t.m; i += ROWS) outer_tile<V, COUNT, ROWS>(t, i, j);
  if constexpr (ROWS > 1) outer_rows<V, COUNT, ROWS / 2>(t, i, j);
}

// As many columns as fit, COUNT vectors of V at a time, then narrower; the first column left over.
template <class V, int COUNT>
Index outer_columns(const OuterProducts& t, Index j) {
  constexpr int registers = kVectorRegisters >= 32 ? 24 : kVectorRegisters >= 16 ? 12 : 4;
  constexpr int rows = registers / COUNT < 12 ? registers / COUNT : 12;
  for (; j + COUNT * lanes<V> <= t.n; j += COUNT * lanes<V>) outer_rows<V, COUNT, rows>(t, 0, j);
  if constexpr (COUNT > 1) {
    return outer_columns<V, COUNT / 2>(t, j);
  } else if constexpr (lanes<V> >= 8) {
    return outer_columns<vec<lanes<V> / 2>, 1>(t, j);
  } else if constexpr (lanes<V> > 1) {
    return outer_columns<float, 1>(t, j);
  } else {
    return j;
  }
}

inline void outer_products(const OuterProducts& t) {
  outer_columns<vfloat, kVectorRegisters >= 32 ? 4 : 2>(t, 0);
}

}  // namespace onnxc
