// tile_operands.hpp - what a float tile of matmul_tile.hpp reads and writes, and how large it is.
#pragma once

#include <cstddef>
#include <type_traits>

#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// The epilogue that leaves the values as they are; kernels skip the epilogue pass for it.
struct NoEpilogue {
  template <class V>
  V operator()(V v, Index, Index) const {
    return v;
  }
};

template <class Epilogue>
constexpr bool has_epilogue = !std::is_same_v<Epilogue, NoEpilogue>;

// Applies the epilogue to `columns` consecutive outputs; at and channel belong to the first.
template <class Epilogue>
[[gnu::always_inline]] inline void epilogue_row(float* y, Index at, Index channel, Index columns,
                                                const Epilogue& epilogue) {
  for_lanes(columns, [&](Index j, auto lane) {
    store(y + j, epilogue(load<decltype(lane)>(y + j), at + j, channel + j));
  });
}

// Panels: NR columns of the weights, [k][NR], zero padded. A panel of NR floats is computed as
// vectors of tile_lanes<NR>, tile_vectors<NR> of them at a time, so that a panel packed for one
// target works on every other.
template <int NR>
constexpr int tile_lanes_of() {
  int lanes = NR < kLanes ? NR : kLanes;
  while (NR % lanes != 0) lanes /= 2;
  return lanes;
}
template <int NR>
constexpr int tile_lanes = tile_lanes_of<NR>();

template <int NR>
constexpr int tile_vectors_of() {
  const int vectors = NR / tile_lanes<NR>;
  const int most = kVectorRegisters >= 32 ? 4 : 3;
  int fit = 1;
  for (int v = 2; v <= most; ++v) {
    if (vectors % v == 0) fit = v;
  }
  return fit;
}
template <int NR>
constexpr int tile_vectors = tile_vectors_of<NR>();

// The rows a tile may have before its accumulators spill; MR is what the caller asked for.
template <int MR, int NR>
constexpr int tile_rows_of() {
  const int vectors = tile_vectors<NR>, spare = vectors == 3 ? 1 : 2;
  const int most = (kVectorRegisters - vectors - spare) / vectors;
  return MR < most ? MR : most;
}
template <int MR, int NR>
constexpr int tile_rows = tile_rows_of<MR, NR>();

// Consecutive floats from `offset` on.
struct TapRun {
  Index offset, length;
};

// The operands of one tile: y[i][j] = init[j] + sum over taps and run of x[i][...] * w[...][j].
//
// x is read as taps_h * taps_w runs of `run` consecutive floats, the runs x_step_h and x_step_w
// apart; the panel is read in that order, w_step_h floats from the start of one row of taps to the
// next. A matrix product has one tap. The first half of the rows starts at x[0] and y[0], the
// second at x[1] and y[1], each ldx or ldy apart, so that a tile can cover two image rows.
struct TileOperands {
  const float* x[2];
  Index ldx;
  Index taps_h, taps_w, run;
  Index x_step_h, x_step_w;
  const TapRun*
      runs;  // not null: the taps of a row lie there instead, and have lengths of their own
  const float* w;
  Index w_step_h;
  const float* bias;  // null: start from zero, or from y when accumulate
  bool accumulate;
  bool finish;           // false where another tile continues the sums
  bool prefetch_output;  // y is too large for the nearer caches
  float* y[2];
  Index ldy;
  Index columns;  // of the panel that exist in y
  // For the epilogue: what it calls `at` and `channel` for the first column of y[0] and y[1]; rows
  // are ld_epilogue apart.
  Index at[2], ld_epilogue, channel;
  // The weights of the next tile: each step of a run prefetches the cache line prefetch_step floats
  // further on.
  const float* prefetch_weights;
  Index prefetch_step;
};

// Columns of a result, rows ldy apart. The epilogue of y[0] is `at` there, its rows ld_epilogue
// apart.
struct TileResult {
  float* y;
  Index ldy, columns;
  Index at, ld_epilogue, channel;
};

// Computes where the second half of the rows of a matrix product is.
inline void place_second_half(TileOperands& t, int rows) {
  const Index half = (rows + 1) / 2;
  t.x[1] = t.x[0] + half * t.ldx;
  t.y[1] = t.y[0] + half * t.ldy;
  t.at[1] = t.at[0] + half * t.ld_epilogue;
}

// The tile of a matrix product that starts with these elements.
template <int NR>
TileOperands matrix_tile(int rows, const float* x, Index ldx, Index depth, const float* w,
                         const TileResult& result) {
  TileOperands t;
  t.x[0] = x;
  t.ldx = ldx;
  t.taps_h = t.taps_w = 1;
  t.run = depth;
  t.x_step_h = t.x_step_w = 0;
  t.runs = nullptr;
  t.w = w;
  t.w_step_h = 0;
  t.bias = nullptr;
  t.accumulate = false;
  t.y[0] = result.y;
  t.ldy = result.ldy;
  t.prefetch_output = false;
  t.columns = result.columns;
  t.finish = true;
  t.at[0] = result.at;
  t.ld_epilogue = result.ld_epilogue;
  t.channel = result.channel;
  place_second_half(t, rows);
  // Narrow tiles prefetch nothing.
  t.prefetch_weights = tile_lanes<NR> >= 8 ? w + 16 * NR : w;
  t.prefetch_step = NR;
  return t;
}

}  // namespace onnxc
