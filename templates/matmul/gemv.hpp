// gemv.hpp - one row times weights packed in panels (gemm.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/tile_operands.hpp"

namespace onnxc {

#if defined(__OPTIMIZE_SIZE__)
constexpr bool kSmallGemv = true;
#else
constexpr bool kSmallGemv = false;
#endif

// Steps of a loop that are unrolled for speed.
constexpr int kGemvSteps = kSmallGemv ? 1 : 4;

// The products of consecutive elements of one row with COLUMNS columns of a panel, for Steps of
// them; x and w move on.
template <int NR, int COLUMNS, int Steps, class W>
[[gnu::always_inline]] inline void gemv_terms(const float*& x, const W*& w,
                                              float (&acc)[static_cast<std::size_t>(COLUMNS)]) {
#pragma GCC unroll 4
  for (int u = 0; u < Steps; ++u, ++x, w += NR) {
#pragma GCC unroll 8
    for (int j = 0; j < COLUMNS; ++j) acc[j] += *x * load<float>(w + j);
  }
}

// COLUMNS columns of one row times a panel, for cores without vectors: they wait neither for
// additions nor for memory.
template <int NR, int COLUMNS, class W>
[[gnu::always_inline]] inline void gemv_in_order(Index k, const float* x, const W* w, float* y) {
  constexpr std::size_t columns = COLUMNS;
  float acc[columns] = {};
  const float* const end = x + k;
  for (Index left = k / kGemvSteps; left > 0; --left)
    gemv_terms<NR, COLUMNS, kGemvSteps>(x, w, acc);
  if constexpr (kGemvSteps > 1) {
    while (x != end) gemv_terms<NR, COLUMNS, 1>(x, w, acc);
  }
#pragma GCC unroll 8
  for (int j = 0; j < COLUMNS; ++j) y[j] = acc[j];
}

// The product of one row with a single column, whose weights are consecutive.
template <class W>
[[gnu::noinline]] float gemv_column(Index k, const float* x, const W* w) {
  constexpr Index n = kLanes;
  vfloat acc[4] = {};
  Index i = 0;
  for (; i + 4 * n <= k; i += 4 * n) {
#pragma GCC unroll 4
    for (Index u = 0; u < 4; ++u)
      acc[u] += load<vfloat>(x + i + u * n) * load<vfloat>(w + i + u * n);
  }
  for (; i + n <= k; i += n) acc[0] += load<vfloat>(x + i) * load<vfloat>(w + i);
  float rest = 0;
  for (; i < k; ++i) rest += x[i] * load<float>(w + i);
  return horizontal_sum((acc[0] + acc[1]) + (acc[2] + acc[3])) + rest;
}

// One row times a panel. Four independent sums, each of a quarter of k, hide the latency of the
// additions, and walk through memory in four places: half as much again comes from there as in one,
// and prefetching only costs time. Weights may be of any type that `load` makes floats of.
template <int NR, class W>
[[gnu::noinline]] void gemv_panel(Index k, const float* x, const W* w, float* y) {
  constexpr int n = tile_lanes<NR>;
  constexpr int nv = tile_vectors<NR>;
  constexpr std::size_t vectors = nv;
  using V = vec<n>;
  const Index quarter = k / 4;
  if constexpr (NR == 1 && kLanes > 1) {
    *y = gemv_column(k, x, w);
    return;
  } else if constexpr (kLanes == 1) {
    constexpr int columns = NR % 8 == 0 ? 8 : nv;
    for (int j0 = 0; j0 < NR; j0 += columns) gemv_in_order<NR, columns>(k, x, w + j0, y + j0);
    return;
  }
  for (int j0 = 0; j0 < NR; j0 += n * nv) {
    V acc[4][vectors] = {};
    for (Index i = 0; i < quarter; ++i) {
#pragma GCC unroll 4
      for (int u = 0; u < 4; ++u) {
        const Index row = u * quarter + i;
        const W* panel = w + row * NR + j0;
#pragma GCC unroll 4
        for (int j = 0; j < nv; ++j) acc[u][j] += x[row] * load<V>(panel + n * j);
      }
    }
    for (Index row = 4 * quarter; row < k; ++row) {
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j) acc[0][j] += x[row] * load<V>(w + row * NR + j0 + n * j);
    }
#pragma GCC unroll 4
    for (int j = 0; j < nv; ++j)
      store(y + j0 + n * j, (acc[0][j] + acc[1][j]) + (acc[2][j] + acc[3][j]));
  }
}

// Panels whose sums are made together, as long as the registers hold them: each element of x is
// then read once for all their columns. Small code has one form.
template <int NR>
constexpr int kGemvPanels =
    !kSmallGemv && tile_lanes<NR> > 1 && 6 * tile_vectors<NR> + 2 <= kVectorRegisters ? 2 : 1;

// Whether four panels are: one sum of each column then keeps the multipliers busy. Larger products
// are divided among threads, which get finer parts of two panels.
constexpr std::int32_t kGemvNearFloats = std::int32_t{64} * 1024;
template <int NR>
constexpr bool gemv_fours(Index k, Index n) {
  return kGemvPanels<NR> == 2 && tile_vectors<NR> == 2 && n >= 4 * NR && k <= kGemvNearFloats / n;
}

// As gemv_panel for two panels, with the same sums in the same order: of the four, two at a time.
template <int NR, class W>
[[gnu::noinline]] void gemv_two_panels(Index k, const float* x, const W* w, float* y) {
  constexpr int n = tile_lanes<NR>, nv = tile_vectors<NR>;
  constexpr std::size_t vectors = nv;
  using V = vec<n>;
  const Index quarter = k / 4;
  for (int j0 = 0; j0 < NR; j0 += n * nv) {
    V total[2][vectors];
    for (int half = 0; half < 2; ++half) {
      V acc[2][2][vectors] = {};
      const auto add = [&](int u, Index row) ONNXC_INLINE_LAMBDA {
        const V factor = broadcast<V>(x[row]);
#pragma GCC unroll 2
        for (int p = 0; p < 2; ++p)
#pragma GCC unroll 4
          for (int j = 0; j < nv; ++j)
            acc[u][p][j] += factor * load<V>(w + (p * k + row) * NR + j0 + n * j);
      };
      const Index first = 2 * half * quarter;
      for (Index i = 0; i < quarter; ++i) {
        add(0, first + i);
        add(1, first + quarter + i);
      }
      for (Index row = half == 0 ? 4 * quarter : k; row < k; ++row) add(0, row);
#pragma GCC unroll 2
      for (int p = 0; p < 2; ++p)
#pragma GCC unroll 4
        for (int j = 0; j < nv; ++j) {
          const V sum = acc[0][p][j] + acc[1][p][j];
          total[p][j] = half == 0 ? sum : total[p][j] + sum;
        }
    }
#pragma GCC unroll 2
    for (int p = 0; p < 2; ++p)
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j) store(y + p * NR + j0 + n * j, total[p][j]);
  }
}

// As gemv_panel for four panels, each sum in the order of k.
template <int NR, class W>
[[gnu::noinline]] void gemv_four_panels(Index k, const float* x, const W* w, float* y) {
  constexpr int n = tile_lanes<NR>, nv = tile_vectors<NR>;
  constexpr std::size_t vectors = nv;
  using V = vec<n>;
  for (int j0 = 0; j0 < NR; j0 += n * nv) {
    V acc[4][vectors] = {};
    for (Index row = 0; row < k; ++row) {
      const V factor = broadcast<V>(x[row]);
#pragma GCC unroll 4
      for (int p = 0; p < 4; ++p)
#pragma GCC unroll 4
        for (int j = 0; j < nv; ++j)
          acc[p][j] += factor * load<V>(w + (p * k + row) * NR + j0 + n * j);
    }
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p)
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j) store(y + p * NR + j0 + n * j, acc[p][j]);
  }
}

// y[j0 .. j0 + columns) = sums + bias. write_sums(j0, y) writes WIDTH of them.
template <int WIDTH, class Sums, class Epilogue>
[[gnu::always_inline]] inline void gemv_columns(Index j0, Index columns, const float* bias,
                                                float* y, const Epilogue& epilogue,
                                                const Sums& write_sums) {
  if constexpr (!has_epilogue<Epilogue>) {
    if (bias == nullptr && columns == WIDTH) return write_sums(j0, y + j0);
  }
  constexpr std::size_t width = WIDTH;
  float sum[width];
  write_sums(j0, sum);
  for (Index j = 0; j < columns; ++j) y[j0 + j] = bias != nullptr ? sum[j] + bias[j0 + j] : sum[j];
  if constexpr (has_epilogue<Epilogue>) epilogue_row(y + j0, j0, j0, columns, epilogue);
}

// Columns of y[n] = sums + bias; begins with a panel. panel_sums(j0, y) writes the NR sums from
// column j0 on.
template <int NR, class PanelSums, class Epilogue>
void gemv_panels(Span of_n, const float* bias, float* y, const Epilogue& epilogue,
                 PanelSums panel_sums) {
  for (Index j0 = of_n.begin; j0 < of_n.end; j0 += NR) {
    const Index left = of_n.end - j0;
    gemv_columns<NR>(j0, left < NR ? left : NR, bias, y, epilogue, panel_sums);
  }
}

// Columns of y[n] = x[k] * w + bias, by PANELS panels as long as there are so many; begins with a
// multiple of their columns, as other forms have other sums.
template <int NR, int PANELS, class W, class Epilogue>
void gemv_range(Index k, Span of_n, const float* x, const W* w, const float* bias, float* y,
                const Epilogue& epilogue) {
  if constexpr (PANELS == 4) {
    for (; of_n.size() >= 4 * NR; of_n.begin += 4 * NR)
      gemv_columns<4 * NR>(of_n.begin, 4 * NR, bias, y, epilogue, [&](Index j0, float* to) {
        gemv_four_panels<NR>(k, x, w + j0 * k, to);
      });
  }
  if constexpr (PANELS >= 2) {
    constexpr Index both = 2 * NR;
    for (; of_n.size() > NR; of_n.begin += both) {
      const Index columns = of_n.size() < both ? of_n.size() : both;
      gemv_columns<both>(of_n.begin, columns, bias, y, epilogue,
                         [&](Index j0, float* to) { gemv_two_panels<NR>(k, x, w + j0 * k, to); });
    }
  }
  gemv_panels<NR>(of_n, bias, y, epilogue,
                  [&](Index j0, float* to) { gemv_panel<NR>(k, x, w + j0 * k, to); });
}

// y[n] = x[k] * w + bias, or the columns of a chunk. s: k, n.
template <int NR, class S, class W, class Epilogue>
void gemv(const S& s, const float* x, const W* w, const float* bias, float* y,
          const Epilogue& epilogue) {
  constexpr Index k = fixed_extent(&S::k), n = fixed_extent(&S::n);
  if constexpr (kGemvPanels<NR> == 2 && (k < 0 || n < 0 || gemv_fours<NR>(k, n))) {
    if (gemv_fours<NR>(s.k, s.n))
      return gemv_range<NR, 4>(s.k, chunk_range(s, s.n, 4 * NR), x, w, bias, y, epilogue);
  }
  constexpr int panels = kGemvPanels<NR>;
  gemv_range<NR, panels>(s.k, chunk_range(s, s.n, panels * NR), x, w, bias, y, epilogue);
}

}  // namespace onnxc
