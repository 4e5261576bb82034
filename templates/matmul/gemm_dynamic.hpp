// gemm_dynamic.hpp - batched matrix product of two run-time operands.
#pragma once

#include <cstring>
#include <utility>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

// Floats of packed columns that stay in the second-level cache together with the rows.
constexpr Index kGemmDynamicFloats = 64 * 1024;

// More columns than this gain nothing, and would make the scratch of an open n large.
constexpr int kGemmDynamicColumns = 512;

// Columns packed at a time: whole panels of `panel` columns, one at least.
template <class N>
constexpr N gemm_dynamic_width(const N& k, const N& n, const N& packed_floats, int panel) {
  const N fit = min_extent(N(kGemmDynamicColumns / panel), fitting(packed_floats, k * panel));
  return max_extent(1, min_extent(fit, (n + panel - 1) / panel)) * panel;
}

// Floats of scratch that gemm_dynamic needs.
template <class S>
constexpr auto gemm_dynamic_scratch(const S& s, int panel) {
  return gemm_dynamic_width(s.k, s.n, s.packed_floats, panel) * s.k;
}

// Writes four columns of four consecutive rows of a panel from four rows of b.
template <int NR>
[[gnu::always_inline]] inline void pack_transposed_block(const float* b, Index ldb, float alpha,
                                                         float* packed) {
  if constexpr (kLanes >= 4) {
    using V = vec<4>;
    const V r0 = load<V>(b) * alpha, r1 = load<V>(b + ldb) * alpha;
    const V r2 = load<V>(b + 2 * ldb) * alpha, r3 = load<V>(b + 3 * ldb) * alpha;
    const V low01 = shuffle_lanes<0, 4, 1, 5>(r0, r1), high01 = shuffle_lanes<2, 6, 3, 7>(r0, r1);
    const V low23 = shuffle_lanes<0, 4, 1, 5>(r2, r3), high23 = shuffle_lanes<2, 6, 3, 7>(r2, r3);
    store<V>(packed, shuffle_lanes<0, 1, 4, 5>(low01, low23));
    store<V>(packed + NR, shuffle_lanes<2, 3, 6, 7>(low01, low23));
    store<V>(packed + 2 * NR, shuffle_lanes<0, 1, 4, 5>(high01, high23));
    store<V>(packed + 3 * NR, shuffle_lanes<2, 3, 6, 7>(high01, high23));
  } else {
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 4; ++j) packed[i * NR + j] = b[j * ldb + i] * alpha;
    }
  }
}

// One panel of up to NR columns of b, times alpha, the missing columns zero.
template <int NR>
[[gnu::noinline]] void pack_panel(const float* b, Index k, Index columns, Index ldb,
                                  bool transposed, float alpha, float* packed) {
  const Index count = columns < NR ? columns : NR;
  if (!transposed) {
    using V = vec<tile_lanes<NR>>;
    for (Index i = 0; i < k; ++i, packed += NR) {
      Index j = 0;
      for (; j + lanes<V> <= count; j += lanes<V>)
        store<V>(packed + j, load<V>(b + i * ldb + j) * alpha);
      for (; j < NR; ++j) packed[j] = j < count ? b[i * ldb + j] * alpha : 0.0f;
    }
    return;
  }
  const Index blocks = NR % 4 == 0 ? count / 4 * 4 : 0;
  const Index depth = k / 4 * 4;
  for (Index j = 0; j < blocks; j += 4) {
    for (Index i = 0; i < depth; i += 4)
      pack_transposed_block<NR>(b + j * ldb + i, ldb, alpha, packed + i * NR + j);
    for (Index i = depth; i < k; ++i) {
      for (Index u = j; u < j + 4; ++u) packed[i * NR + u] = b[u * ldb + i] * alpha;
    }
  }
  for (Index i = 0; i < k; ++i) {
    for (Index j = blocks; j < NR; ++j)
      packed[i * NR + j] = j < count ? b[j * ldb + i] * alpha : 0.0f;
  }
}

// Floats that rows from memory are fetched ahead of their use.
constexpr Index kRowsAhead = 1024;

constexpr Index rows_ahead(Index ldb) { return ldb > 0 ? (kRowsAhead + ldb - 1) / ldb * ldb : 0; }

// Fetches `count` floats; they may be outside of anything.
[[gnu::always_inline]] inline void prefetch_floats(const float* p, Index count) {
  if constexpr (kLittleCode) count = 0;
#pragma GCC unroll 4
  for (Index i = 0; i < count; i += 16) prefetch(p + i);
}

// y [R, wide vectors] = alpha * a [R, k] * b [k, ldb]; put(r, u, sum) gets row r of vector u.
// `fetched` floats of every row are fetched ahead.
template <int R, int wide, class Put>
[[gnu::always_inline]] inline void rows_times_columns(const float* a, Index lda, const float* b,
                                                      Index k, Index ldb, Index fetched, Put put) {
  constexpr std::size_t sums[2] = {R, wide};
  const Index ahead = rows_ahead(ldb);
  vfloat sum[sums[0]][sums[1]] = {};
  for (Index i = 0; i < k; ++i) {
    const float* row = b + i * ldb;
    prefetch_floats(row + ahead, fetched);
#pragma GCC unroll 4
    for (int u = 0; u < wide; ++u) {
      const vfloat column = load(row + u * kLanes);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) sum[r][u] += a[r * lda + i] * column;
    }
  }
  // Unrolled, or the sums would have addresses and no registers.
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int u = 0; u < wide; ++u) put(r, u * kLanes, sum[r][u]);
  }
}

// y [R, n] = alpha * a [R, k] * b [k, n], straight from b; at and channel belong to the first
// element of y.
template <int R, class Epilogue = NoEpilogue>
[[gnu::noinline]] void rows_times_matrix(const float* a, Index lda, const float* b, Index k,
                                         Index n, Index ldb, float alpha, float* y, Index ldy,
                                         const Epilogue& epilogue = {}, Index at = 0,
                                         Index channel = 0) {
  const auto put = [&](Index r, Index j, auto v) {
    store(y + r * ldy + j, epilogue(v * alpha, at + r * ldy + j, channel + j));
  };
  // Vectors a row, as many as have their sums in registers.
  constexpr int most = R * 4 + 2 <= kVectorRegisters ? 4 : 2;
  constexpr Index width = most * kLanes, few = 128;
  Index j = 0;
  // What reads parts of rows fetches them ahead, the first columns those of the next ones, too:
  // memory gives whole rows in order fastest.
  const Index first = n <= width ? 0 : n <= few ? n : width;
  for (; j + width <= n; j += width)
    rows_times_columns<R, most>(a, lda, b + j, k, ldb, j == 0 ? first : width,
                                [&](Index r, Index u, vfloat v) { put(r, j + u, v); });
  if (most > 2 && R > 1 && j + 2 * kLanes <= n) {
    rows_times_columns<R, 2>(a, lda, b + j, k, ldb, 2 * kLanes,
                             [&](Index r, Index u, vfloat v) { put(r, j + u, v); });
    j += 2 * kLanes;
  }
  for (int r = 0; r < R; ++r) {
    for_lanes(n - j, [&](Index u, auto sum) {
      for (Index i = 0; i < k; ++i)
        sum += a[r * lda + i] * load<decltype(sum)>(b + i * ldb + j + u);
      put(r, j + u, sum);
    });
  }
}

// The lane of two vectors of n lanes that goes to lane i where, in every four lanes, STEP of the
// one and STEP of the other follow each other.
template <int STEP>
constexpr int lane_in_turn(int i, int n) {
  const int vector = i / STEP % 2, lane = i % 4 / (2 * STEP) * STEP + i % STEP;
  return vector * n + i / 4 * 4 + lane;
}

// In every four lanes, the first two of a and b in turn plus their last two.
template <int STEP, class V, int... I>
[[gnu::always_inline]] inline V sum_in_turn(V a, V b, std::integer_sequence<int, I...>) {
  return shuffle_lanes<lane_in_turn<STEP>(I, lanes<V>)...>(a, b) +
         shuffle_lanes<(lane_in_turn<STEP>(I, lanes<V>) + 2)...>(a, b);
}

// The sum of the fours of lanes of a vector.
template <class V>
[[gnu::always_inline]] inline vec<4> sum_of_fours(V v) {
  if constexpr (lanes<V> == 4) {
    return v;
  } else {
    vec<lanes<V> / 2> halves[2];
    std::memcpy(halves, &v, sizeof v);
    return sum_of_fours(halves[0] + halves[1]);
  }
}

// The sums of the lanes of four vectors.
template <class V>
[[gnu::always_inline]] inline vec<4> four_sums(V a, V b, V c, V d) {
  constexpr std::make_integer_sequence<int, lanes<V>> all;
  const V ab = sum_in_turn<1>(a, b, all), cd = sum_in_turn<1>(c, d, all);
  return sum_of_fours(sum_in_turn<2>(ab, cd, all));
}

// Of R rows, how many have their sums of four columns in registers together.
template <int R>
constexpr int kRowsTogether = 4 * R + 2 <= kVectorRegisters          ? R
                              : R % 2 == 0 && 10 <= kVectorRegisters ? 2
                                                                     : 1;

// y [R, 4] = alpha * a [R, k] * b [4, k] transposed. The sums of four vectors of lanes together
// take half as long as one after the other. Rows are read in order, as memory gives them fastest.
template <int R>
[[gnu::always_inline]] inline void rows_times_four(const float* a, Index lda, const float* b,
                                                   Index k, Index ldb, float alpha, float* y,
                                                   Index ldy) {
  constexpr std::size_t height = R;
  const Index done = k / kLanes * kLanes;
  vfloat sum[height][4] = {};
#pragma GCC unroll 4
  for (Index u = 0; u < 4; ++u)
    for (Index i = 0; i < done; i += kLanes) {
      const vfloat column = load(b + u * ldb + i);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) sum[r][u] += load(a + r * lda + i) * column;
    }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    vec<4> sums = four_sums(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
    for (Index i = done; i < k; ++i)
      for (Index u = 0; u < 4; ++u) sums[u] += a[r * lda + i] * b[u * ldb + i];
    store(y + r * ldy, sums * alpha);
  }
}

// y [R, n] = alpha * a [R, k] * b [n, k] transposed: dot products.
template <int R>
[[gnu::noinline]] void rows_times_transposed(const float* a, Index lda, const float* b, Index k,
                                             Index n, Index ldb, float alpha, float* y, Index ldy) {
  constexpr std::size_t height = R;
  const Index done = k / (2 * kLanes) * (2 * kLanes);
  // Processors fetch long rows ahead by themselves, and four at once would fill the nearest cache.
  const Index fetched = k <= kRowsAhead / 4 ? k : 0;
  Index j = 0;
  if constexpr (kLanes >= 4 && !kLittleCode)
    for (; j + 4 <= n; j += 4, b += 4 * ldb) {
      for (Index u = 0; u < 4; ++u) prefetch_floats(b + (u * ldb + rows_ahead(ldb)), fetched);
      for (Index r = 0; r < R; r += kRowsTogether<R>)
        rows_times_four<kRowsTogether<R>>(a + r * lda, lda, b, k, ldb, alpha, y + r * ldy + j, ldy);
    }
  // Not up to n: GCC 12 warns of a loop without end where it never runs.
  for (Index left = n - j; left > 0; --left, ++j, b += ldb) {
    vfloat sum[height][2] = {};
    for (Index i = 0; i < done; i += 2 * kLanes) {
      const vfloat low = load(b + i), high = load(b + i + kLanes);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        sum[r][0] += load(a + r * lda + i) * low;
        sum[r][1] += load(a + r * lda + i + kLanes) * high;
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      float rest = 0.0f;
      for_lanes(k - done, [&](Index i, auto lane) {
        using V = decltype(lane);
        const V product = load<V>(a + r * lda + done + i) * load<V>(b + done + i);
        if constexpr (lanes<V> == kLanes) {
          sum[r][0] += product;
        } else {
          rest += product;
        }
      });
      y[r * ldy + j] = (horizontal_sum(sum[r][0] + sum[r][1]) + rest) * alpha;
    }
  }
}

// With so few rows packing costs more than it saves.
constexpr Index kFewRows = 8;

// Columns [first, first + count) of R rows; at: offset of the first element in y.
template <int R, class S, class Epilogue>
void gemm_dynamic_some_rows(const S& s, const float* a, const float* b, Index first, Index count,
                            float* y, Index at, const Epilogue& epilogue) {
  if (!s.transposed_b) {
    rows_times_matrix<R>(a, s.lda, b + first, s.k, count, s.ldb, s.alpha, y + at, s.ldy, epilogue,
                         at, first);
    return;
  }
  rows_times_transposed<R>(a, s.lda, b + first * s.ldb, s.k, count, s.ldb, s.alpha, y + at, s.ldy);
  if constexpr (has_epilogue<Epilogue>) {
    for (Index r = 0; r < R; ++r)
      epilogue_row(y + at + r * s.ldy, at + r * s.ldy, first, count, epilogue);
  }
}

template <class S, class Epilogue>
void gemm_dynamic_rows(const S& s, const float* a, const float* b, float* y,
                       const Epilogue& epilogue) {
  constexpr Index width = 4 * kLanes;
  const Index groups = s.n > width ? s.n / width : 1;
  const auto [batch, own] = chunk_grid(chunk_of(s), s.batch, s.m, groups, width);
  const Index first = own.begin * width,
              count = own.end == groups ? s.n - first : own.size() * width;
  if (own.size() == 0) return;
  for (Index n = batch.begin; n < batch.end; ++n) {
    const float* columns = b + n * s.b_batch;
    for (Index i = 0; i < s.m; i += 4) {
      const Index at = n * s.y_batch + i * s.ldy + first, rows = s.m - i < 4 ? s.m - i : 4;
      const float* x = a + n * s.a_batch + i * s.lda;
      if (rows == 4) gemm_dynamic_some_rows<4>(s, x, columns, first, count, y, at, epilogue);
      if (rows == 3) gemm_dynamic_some_rows<3>(s, x, columns, first, count, y, at, epilogue);
      if (rows == 2) gemm_dynamic_some_rows<2>(s, x, columns, first, count, y, at, epilogue);
      if (rows == 1) gemm_dynamic_some_rows<1>(s, x, columns, first, count, y, at, epilogue);
    }
  }
}

// The columns [n0, n1) of one product, which `packed` holds; at: offset of the product in y.
template <int NR, class S, class Tiles, class Epilogue>
void gemm_dynamic_block(const S& s, const Tiles& tiles, const float* a, const float* packed,
                        float* y, Index at, Index n0, Index n1, const Epilogue& epilogue) {
  Index row = 0;
  for (Index i = 0; i < tiles.split.tiles; ++i) {
    const int rows = tiles.rows(i);
    const float* x = a + row * s.lda;
    for (Index j = n0; j < n1; j += NR) {
      const Index first = at + row * s.ldy + j;
      const Index columns = n1 - j < NR ? n1 - j : NR;
      const TileOperands t = matrix_tile<NR>(rows, x, s.lda, s.k, packed + (j - n0) * s.k,
                                             {y + first, s.ldy, columns, first, s.ldy, j});
      Tiles::run(rows, t, epilogue);
    }
    row += rows;
  }
}

// For each of `batch` products, a_batch, b_batch and y_batch floats apart (0: the same operand
// again): y [m, n] = alpha * a [m, k] * b, with b [k, n], or [n, k] if transposed_b; lda, ldb, ldy:
// row strides. s: batch, m, k, n, lda, ldb, ldy, a_batch, b_batch, y_batch, transposed_b, alpha,
// packed_floats. scratch: gemm_dynamic_scratch(s, NR) floats, best on a cache line. Divisible.
template <int MR, int NR, class S, class Epilogue = NoEpilogue>
void gemm_dynamic(S s, const float* a, const float* b, float* y, float* scratch,
                  Epilogue epilogue = {}) {
  if (s.m <= kFewRows) return gemm_dynamic_rows(s, a, b, y, epilogue);
  if constexpr (fixed_extent(&S::m) < 0 || fixed_extent(&S::m) > kFewRows) {
    const RowTiles<MR, NR, fixed_extent(&S::m), fixed_extent(&S::n)> tiles(s.m);
    const Index width = gemm_dynamic_width<Index>(s.k, s.n, s.packed_floats, NR);
    const auto [batch, panels] = chunk_grid(chunk_of(s), s.batch, s.m, (s.n + NR - 1) / NR, NR);
    const Index n_end = panels.end * NR < s.n ? panels.end * NR : s.n;
    for (Index n0 = panels.begin * NR; n0 < n_end; n0 += width) {
      const Index n1 = n_end - n0 < width ? n_end : n0 + width;
      for (Index n = batch.begin; n < batch.end; ++n) {
        const float* columns = b + n * s.b_batch;
        for (Index j = n0; j < n1 && (n == batch.begin || s.b_batch != 0); j += NR) {
          const float* first = columns + (s.transposed_b ? j * s.ldb : j);
          pack_panel<NR>(first, s.k, n1 - j, s.ldb, s.transposed_b, s.alpha,
                         scratch + (j - n0) * s.k);
        }
        gemm_dynamic_block<NR>(s, tiles, a + n * s.a_batch, scratch, y, n * s.y_batch, n0, n1,
                               epilogue);
      }
    }
  }
}

}  // namespace onnxc
