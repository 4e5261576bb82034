// gemm_f16_weights.hpp - matrix product with weights of 16 bits, packed at compile time of the
// model and widened as they are read; sums are floats, and those of gemm.hpp with the same weights.
#pragma once

#include <utility>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/half.hpp"
#include "runtime_min/simd_f16.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/gemm.hpp"
#include "templates/matmul/gemm_dequant.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

// Panels of NR columns for gemm_dequant.
template <int NR, class H>
struct HalfPanels {
  static constexpr Index step = NR / 2;
  const H* w;
  Index k;

  const float* at(Index panel, Index k0) const {
    return reinterpret_cast<const float*>(w + (panel * k + k0) * NR);
  }

  void widen(Index panel, Index k0, Index depth, float* to) const {
    const H* const from = w + (panel * k + k0) * NR;
    constexpr int n = tile_lanes<NR>;
    for (Index i = 0; i < depth * NR; i += n) store(to + i, load<vec<n>>(from + i));
  }
};

// Up to this many rows, tiles read the weights themselves: widening them first would take longer.
constexpr Index kFewHalfFloatRows = 32;

// sums: [ROWS, NR] = start + x times a panel; start: [NR], x: rows ldx apart.
template <int ROWS, int NR, class H>
[[gnu::noinline]] void half_float_tile(Index k, const float* x, Index ldx, const H* w,
                                       const float* start, float* sums) {
  constexpr int n = tile_lanes<NR>, nv = tile_vectors<NR>;
  constexpr std::size_t rows = ROWS, vectors = nv;
  using V = vec<n>;
  for (int j0 = 0; j0 < NR; j0 += n * nv) {
    V acc[rows][vectors];
#pragma GCC unroll 32
    for (int r = 0; r < ROWS; ++r) {
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j) acc[r][j] = load<V>(start + j0 + n * j);
    }
    const H* from = w + j0;
#pragma GCC unroll 1
    for (Index i = 0; i < k; ++i, from += NR) {
      V b[vectors];
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j) b[j] = load<V>(from + n * j);
#pragma GCC unroll 32
      for (int r = 0; r < ROWS; ++r) {
        const V a = broadcast<V>(x[r * ldx + i]);
#pragma GCC unroll 4
        for (int j = 0; j < nv; ++j) acc[r][j] += a * b[j];
      }
    }
#pragma GCC unroll 32
    for (int r = 0; r < ROWS; ++r) {
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j) store(sums + r * NR + j0 + n * j, acc[r][j]);
    }
  }
}

template <class H>
using HalfFloatTile = void (*)(Index, const float*, Index, const H*, const float*, float*);

// The tile for this many rows; `Fixed` rows of the whole product as a constant, or -1, leave out
// those that never come.
template <int NR, Index Fixed, class H, int... I>
HalfFloatTile<H> half_float_tile_of(int rows, std::integer_sequence<int, I...>) {
  constexpr int most = sizeof...(I);
  if constexpr (Fixed > 0) {
    constexpr RowSplit fixed = split_rows(Fixed, most);
    return rows == fixed.rows ? &half_float_tile<fixed.rows, NR, H>
                              : &half_float_tile<fixed.rows + (fixed.tall > 0), NR, H>;
  } else {
    static constexpr HalfFloatTile<H> table[] = {&half_float_tile<I + 1, NR, H>...};
    return table[rows - 1];
  }
}

// The product with few rows: all of them pass by a panel before the next.
template <int MR, int NR, class S, class H, class Epilogue>
void gemm_few_rows(const S& s, const float* x, const H* w, const float* bias, float* y,
                   const Epilogue& given) {
  constexpr int most = tile_rows<MR, NR>;
  constexpr std::size_t width = NR, capacity = NR * most + kLanes;
  // A copy, since the stores might alias a reference.
  const Epilogue epilogue = given;
  const RowSplit split = split_rows(s.m, most);
  const Span own = chunk_range(s, s.n, NR);
  for (Index j = own.begin; j < own.end; j += NR) {
    const Index columns = own.end - j < NR ? own.end - j : NR;
    alignas(64) float start[width] = {};
    alignas(64) float sums[capacity];
    for (Index c = 0; bias != nullptr && c < columns; ++c) start[c] = bias[j + c];
    for (Index i = 0, row = 0; i < split.tiles; ++i) {
      const int rows = split.rows + (i < split.tall ? 1 : 0);
      const auto tile = half_float_tile_of<NR, fixed_extent(&S::m), H>(
          rows, std::make_integer_sequence<int, most>{});
      tile(s.k, x + row * s.k, s.k, w + j * s.k, start, sums);
      for (int r = 0; r < rows; ++r, ++row)
        finish_row(sums + r * NR, y + row * s.n + j, row * s.n + j, j, columns, epilogue);
    }
  }
}

// w: pack_gemm_b<NR> as float16 or bfloat16.  scratch: widened_size<NR> above kFewHalfFloatRows
// rows, else null.  Everything else is as for gemm, with rows close together.  s: m, k, n.
// Divisible.
template <int MR, int NR, class S, class H, class Epilogue = NoEpilogue>
void gemm_f16_weights(S s, const float* x, const H* w, const float* bias, float* y, float* scratch,
                      Epilogue epilogue = {}) {
  static_cast<void>(scratch);
  if (s.m == 1) return gemv<NR>(s, x, w, bias, y, epilogue);
  if constexpr (fixed_extent(&S::m) <= kFewHalfFloatRows && fixed_extent(&S::m) != 1) {
    if (s.m <= kFewHalfFloatRows) return gemm_few_rows<MR, NR>(s, x, w, bias, y, epilogue);
  }
  if constexpr (fixed_extent(&S::m) < 0 || fixed_extent(&S::m) > kFewHalfFloatRows)
    gemm_dequant<MR, NR>(s, x, bias, y, scratch, epilogue, HalfPanels<NR, H>{w, s.k});
}

}  // namespace onnxc
