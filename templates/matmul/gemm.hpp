// gemm.hpp - matrix product with weights packed at compile time of the model.
//
// Tiles that keep the accumulators in registers, by target (panel = NR floats, MR rows):
//   AVX-512 14 x 32   AVX2, AVX 6 x 16   SSE2, NEON, MVE 4 x 8   no SIMD 4 x 4
// With few columns a narrower panel wastes less: the smallest NR >= n, and then MR may be twice as
// large. MR is cut to what the registers hold, so a panel packed for one target is right, if
// slower, on every other.
#pragma once

#include <cstdint>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/gemv.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

// Floats of the packed form [ceil(n / NR)][k][NR].
template <int NR>
constexpr Index packed_gemm_size(Index k, Index n) {
  return (n + NR - 1) / NR * NR * k;
}

// b: [k, n] with row stride ldb, or [n, k] if transposed.  packed: packed_gemm_size<NR>(k, n), best
// on a cache line.
template <int NR>
void pack_gemm_b(const float* b, Index k, Index n, Index ldb, bool transposed, float* packed) {
  for (Index j0 = 0; j0 < n; j0 += NR) {
    for (Index i = 0; i < k; ++i) {
      for (Index j = j0; j < j0 + NR; ++j) {
        *packed++ = j >= n ? 0.0f : transposed ? b[j * ldb + i] : b[i * ldb + j];
      }
    }
  }
}

// Depth and width of the block of weights that all rows pass by before the next: what the
// second-level cache holds, or a single panel if it holds all rows.
struct GemmBlocks {
  Index depth, width;
};

// More than the Index of some cores holds.
constexpr std::int32_t kResidentFloats = std::int32_t{128} * 1024;
constexpr std::int32_t kBlockFloats = std::int32_t{96} * 1024;
// Results from this size on are prefetched before they are stored, where the sums take long enough
// for it.
constexpr std::int32_t kPrefetchFloats = std::int32_t{128} * 1024;
constexpr Index kPrefetchDepth = 32;

template <int NR>
constexpr GemmBlocks gemm_blocks(Index m, Index k) {
  const Index pieces = (k + 511) / 512;
  const Index depth = pieces > 1 ? (k + pieces - 1) / pieces : k;
  if (m * k <= kResidentFloats) return {depth, NR};
  const Index panels = depth > 0 ? static_cast<Index>(kBlockFloats / (depth * NR)) : 1;
  return {depth, (panels > 0 ? panels : 1) * NR};
}

// The product without blocks of the depth, one panel after the other. The operands of its tiles
// change in memory: cores with little of it have few registers, too.
template <int MR, int NR, Index FixedM, Index FixedN, class S, class Epilogue, class C>
void gemm_in_order(const S& s, const float* x, const float* w, const float* bias,
                   const TileResult& all, const Epilogue& epilogue, C chunk) {
  const RowTiles<MR, NR, FixedM, FixedN> tiles(s.m);
  const auto [own_tiles, own_panels] =
      chunk_grid(chunk, tiles.split.tiles, tiles.most, (s.n + NR - 1) / NR, NR);
  const Index row = tiles.first_row(own_tiles.begin);
  for (Index p = own_panels.begin; p < own_panels.end; ++p) {
    const Index j = p * NR, columns = s.n - j < NR ? s.n - j : NR;
    TileOperands t =
        matrix_tile<NR>(0, x + row * s.ldx, s.ldx, s.k, w + j * s.k,
                        {all.y + row * s.ldy + j, s.ldy, columns,
                         all.at + row * all.ld_epilogue + j, all.ld_epilogue, all.channel + j});
    t.bias = bias != nullptr ? bias + j : nullptr;
    for (Index i = own_tiles.begin; i < own_tiles.end; ++i) {
      const int rows = tiles.rows(i);
      place_second_half(t, rows);
      tiles.run(rows, t, epilogue);
      t.x[0] += rows * s.ldx;
      t.y[0] += rows * s.ldy;
      t.at[0] += rows * all.ld_epilogue;
    }
  }
}

// The blocked product, for any m. FixedM, FixedN: m and n as constants, or -1. Arguments as for
// gemm; at, channel: what the epilogue calls y[0], with rows ld_epilogue apart.
template <int MR, int NR, Index FixedM, Index FixedN, class S, class Epilogue, class C = AllWork>
void gemm_blocked(const S& s, const float* x, const float* w, const float* bias, float* y, Index at,
                  Index channel, Index ld_epilogue, const Epilogue& epilogue, C chunk = {}) {
  if constexpr (kLittleCode) {
    const TileResult all = {y, s.ldy, s.n, at, ld_epilogue, channel};
    return gemm_in_order<MR, NR, FixedM, FixedN>(s, x, w, bias, all, epilogue, chunk);
  }
  const RowTiles<MR, NR, FixedM, FixedN> tiles(s.m);
  const auto [own_tiles, own_panels] =
      chunk_grid(chunk, tiles.split.tiles, tiles.most, (s.n + NR - 1) / NR, NR);
  const Index first_row = tiles.first_row(own_tiles.begin);
  const GemmBlocks block = gemm_blocks<NR>(tiles.first_row(own_tiles.end) - first_row, s.k);
  const Index n_end = own_panels.end * NR < s.n ? own_panels.end * NR : s.n;
  for (Index n0 = own_panels.begin * NR; n0 < n_end; n0 += block.width) {
    const Index n1 = n0 + block.width < n_end ? n0 + block.width : n_end;
    Index k0 = 0;
    do {
      const Index depth = s.k - k0 < block.depth ? s.k - k0 : block.depth;
      const bool last = k0 + depth >= s.k;
      Index row = first_row;
      for (Index i = own_tiles.begin; i < own_tiles.end; ++i) {
        const int rows = tiles.rows(i);
        for (Index j = n0; j < n1; j += NR) {
          const Index columns = n1 - j < NR ? n1 - j : NR;
          TileOperands t =
              matrix_tile<NR>(rows, x + row * s.ldx + k0, s.ldx, depth, w + j * s.k + k0 * NR,
                              {y + row * s.ldy + j, s.ldy, columns, at + row * ld_epilogue + j,
                               ld_epilogue, channel + j});
          t.bias = bias != nullptr ? bias + j : nullptr;
          t.prefetch_output = depth >= kPrefetchDepth && s.m * s.ldy >= kPrefetchFloats;
          t.accumulate = k0 > 0;
          t.finish = last;
          if (block.width == NR && own_tiles.size() > 1) {
            // Each tile fetches its share of the next panel, from wherever that is.
            t.prefetch_step = NR / own_tiles.size() > 0 ? NR / own_tiles.size() : 1;
            t.prefetch_weights = t.w + depth * (NR + (i - own_tiles.begin) * t.prefetch_step);
          }
          tiles.run(rows, t, epilogue);
        }
        row += rows;
      }
      k0 += depth;
    } while (k0 < s.k);
  }
}

// x: [m, k] with row stride ldx.  w: pack_gemm_b<NR> of [k, n].  bias: [n] or null.  y: [m, n] with
// row stride ldy. s: m, k, n, ldx, ldy. Divisible.
template <int MR, int NR, class S, class Epilogue = NoEpilogue>
void gemm(S s, const float* x, const float* w, const float* bias, float* y,
          Epilogue epilogue = {}) {
  if constexpr (fixed_extent(&S::m) == 1) {
    gemv<NR>(s, x, w, bias, y, epilogue);
  } else {
    if (s.m == 1) return gemv<NR>(s, x, w, bias, y, epilogue);
    gemm_blocked<MR, NR, fixed_extent(&S::m), fixed_extent(&S::n)>(s, x, w, bias, y, 0, 0, s.ldy,
                                                                   epilogue, chunk_of(s));
  }
}

}  // namespace onnxc
