// matmul_nd.hpp - batched, strided matrix product of any element type: y = alpha * a * b + beta *
// c.
#pragma once

#include <cstring>
#include <type_traits>

#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"

namespace onnxc {

// Sums of integers wrap.
template <class T>
struct product_sum {
  using type = compute_t<T>;
};
template <>
struct product_sum<std::int32_t> {
  using type = std::uint32_t;
};
template <>
struct product_sum<std::int64_t> {
  using type = std::uint64_t;
};
template <class T>
using product_sum_t = typename product_sum<compute_t<T>>::type;

// Columns of a panel, and rows that are summed side by side: eight vectors of sums.
constexpr std::size_t kPanelColumns = 16;
template <class Sum>
constexpr std::size_t sum_lanes = kLanes * sizeof(float) / sizeof(Sum);
template <class Sum>
constexpr std::size_t panel_rows = 8 * sum_lanes<Sum> / kPanelColumns;

// Columns from `first` on of b [k, n] as numbers [k, kPanelColumns], those that b does not have
// zero.
template <class S, class T, class Sum>
void pack_columns(const S& s, const T* b, Index first, Sum* panel) {
  constexpr Index wide = kPanelColumns;
  const Index count = s.n - first < wide ? s.n - first : wide;
  for (Index k = 0; k < s.k; ++k, panel += wide) {
    const T* row = b + k * s.b_row + first * s.b_column;
    for (Index j = 0; j < count; ++j)
      panel[j] = static_cast<Sum>(static_cast<compute_t<T>>(row[j * s.b_column]));
    for (Index j = count; j < wide; ++j) panel[j] = Sum{};
  }
}

// Products of R rows of a and a panel; each sum runs along k in order.
template <std::size_t R, class S, class T, class Sum>
[[gnu::always_inline]] inline void sum_panel(const S& s, const T* a, const Sum* panel,
                                             Sum (&sum)[R][kPanelColumns]) {
  constexpr std::size_t lane_count =
      sum_lanes<Sum> < kPanelColumns ? sum_lanes<Sum> : kPanelColumns;
  constexpr std::size_t vectors = kPanelColumns / lane_count;
  using V [[gnu::vector_size(lane_count * sizeof(Sum))]] = Sum;
  V sums[R][vectors] = {};
  for (Index k = 0; k < s.k; ++k, panel += kPanelColumns) {
    V row[vectors];
    std::memcpy(row, panel, sizeof row);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < R; ++i) {
      const T element = a[static_cast<Index>(i) * s.a_row + k * s.a_column];
      const Sum factor = static_cast<Sum>(static_cast<compute_t<T>>(element));
#pragma GCC unroll 8
      for (std::size_t v = 0; v < vectors; ++v) sums[i][v] += factor * row[v];
    }
  }
  std::memcpy(sum, sums, sizeof sum);
}

// One element of the result from the sum of its products. c: its element, or null.
template <class S, class T, class Sum, class Epilogue>
[[gnu::always_inline]] inline T finish_product(const S& s, Sum sum, const T* c, Index at,
                                               Index column, const Epilogue& epilogue) {
  using A = compute_t<T>;
  sum *= static_cast<Sum>(static_cast<A>(s.alpha));
  if (c != nullptr)
    sum += static_cast<Sum>(static_cast<A>(s.beta)) * static_cast<Sum>(static_cast<A>(*c));
  return static_cast<T>(epilogue(static_cast<A>(sum), at, column));
}

// R rows from row i on, columns from j on; y: the whole result, which begins at element `at`.
template <std::size_t R, class S, class T, class Sum, class Epilogue>
void panel_block(const S& s, const T* a, const Sum* panel, const T* c, T* y, Index at, Index i,
                 Index j, const Epilogue& epilogue) {
  Sum sum[R][kPanelColumns];
  sum_panel(s, a + i * s.a_row, panel, sum);
  const Index rest = s.n - j, wide = kPanelColumns, count = rest < wide ? rest : wide;
  for (Index r = 0; r < static_cast<Index>(R); ++r) {
    for (Index q = 0; q < count; ++q) {
      const T* add = c != nullptr ? c + (i + r) * s.c_row + (j + q) * s.c_column : nullptr;
      const Index to = at + (i + r) * s.n + j + q;
      y[to] = finish_product(s, sum[r][q], add, to, j + q, epilogue);
    }
  }
}

// One matrix by panels. panel: [k, kPanelColumns].
template <class S, class T, class Sum, class Epilogue>
void matmul_panels(const S& s, const T* a, const T* b, const T* c, Sum* panel, T* y, Index at,
                   const Epilogue& epilogue) {
  constexpr Index tall = panel_rows<Sum>;
  const Index whole = s.m / tall * tall;
  for (Index j = 0; j < s.n; j += static_cast<Index>(kPanelColumns)) {
    pack_columns(s, b, j, panel);
    for (Index i = 0; i < whole; i += tall)
      panel_block<panel_rows<Sum>>(s, a, panel, c, y, at, i, j, epilogue);
    for (Index i = whole; i < s.m; ++i) panel_block<1>(s, a, panel, c, y, at, i, j, epilogue);
  }
}

// One matrix, element by element.
template <class Sum, class S, class T, class Epilogue>
void matmul_elements(const S& s, const T* a, const T* b, const T* c, T* y, Index at,
                     const Epilogue& epilogue) {
  using A = compute_t<T>;
  for (Index i = 0; i < s.m; ++i) {
    for (Index j = 0; j < s.n; ++j, ++at) {
      Sum sum{};
      for (Index k = 0; k < s.k; ++k)
        sum += static_cast<Sum>(static_cast<A>(a[i * s.a_row + k * s.a_column])) *
               static_cast<Sum>(static_cast<A>(b[k * s.b_row + j * s.b_column]));
      y[at] = finish_product(s, sum, c != nullptr ? c + i * s.c_row + j * s.c_column : nullptr, at,
                             j, epilogue);
    }
  }
}

// a: [batch, m, k], b: [batch, k, n], c: [m, n] or null, with any strides; y: [batch, m, n], dense.
// panel: [k, kPanelColumns] of scratch, or null: then columns are not packed. s: batch[R],
// a_batch[R], b_batch[R], m, k, n, a_row, a_column, b_row, b_column, c_row, c_column, alpha, beta.
template <std::size_t R, class S, class T, class Epilogue>
void matmul_nd(S s, const T* a, const T* b, const T* c, product_sum_t<T>* panel, T* y,
               Epilogue epilogue) {
  Index batches = box_size<R>(s.batch);
  Position<R> p;
  for (Index at = 0; batches > 0; --batches, at += s.m * s.n, p.next(s.batch)) {
    const T* ab = a;
    const T* bb = b;
    for (std::size_t i = 0; i < R; ++i) {
      ab += p.at[i] * s.a_batch[i];
      bb += p.at[i] * s.b_batch[i];
    }
    if constexpr (panel_rows < product_sum_t < T >>> 0) {
      if (panel != nullptr) {
        matmul_panels(s, ab, bb, c, panel, y, at, epilogue);
        continue;
      }
    }
    matmul_elements<product_sum_t<T>>(s, ab, bb, c, y, at, epilogue);
  }
}

}  // namespace onnxc
