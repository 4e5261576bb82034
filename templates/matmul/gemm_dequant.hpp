// gemm_dequant.hpp - matrix product with packed weights of fewer than 32 bits: the panels become
// floats a block at a time, in scratch memory, and the tiles of gemm.hpp read those.
#pragma once

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/gemm.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

// Depths are multiples of this, unless they are all of k: packed words hold that many values.
constexpr Index kWidenedStep = 16;

// Floats of a block of one panel: they stay in the nearest cache.
constexpr Index kNearFloats = 12 * 1024;

// As gemm_blocks, for at most n columns.
template <int NR>
constexpr GemmBlocks widened_blocks(Index m, Index k, Index n) {
  GemmBlocks block = gemm_blocks<NR>(m, k);
  const Index all = (n + NR - 1) / NR * NR;
  if (block.width > all) block.width = all > 0 ? all : NR;
  if (block.width == NR && block.depth * NR > kNearFloats) block.depth = kNearFloats / NR;
  if (block.depth < k) block.depth = (block.depth + kWidenedStep - 1) / kWidenedStep * kWidenedStep;
  return block;
}

// Floats of scratch memory; not fewer with more rows, unless n is small.
template <int NR>
constexpr Index widened_size(Index m, Index k, Index n) {
  const GemmBlocks block = widened_blocks<NR>(m, k, n);
  return block.depth * block.width;
}

// The weights' columns [n0, n1) and rows [k0, k0 + depth), which lie at w panel by panel. Each of
// the depth steps of a panel's `tiles` tiles fetches some of the packed weights that come next,
// unless that is null.
struct WidenedBlock {
  const float* w;
  Index n0, n1, k0, depth;
  const float* next;
  Index next_step;  // floats, for all tiles together
};

// Adds the products with one block for the given tiles of rows.
template <int MR, int NR, class S, class Tiles, class Epilogue>
void widened_rows(const S& s, const Tiles& tiles, Span own_tiles, const float* x,
                  const WidenedBlock& b, const float* bias, float* y, const Epilogue& epilogue) {
  Index row = tiles.first_row(own_tiles.begin);
  for (Index i = own_tiles.begin; i < own_tiles.end; ++i) {
    const int rows = tiles.rows(i);
    for (Index j = b.n0; j < b.n1; j += NR) {
      const Index columns = b.n1 - j < NR ? b.n1 - j : NR, at = row * s.n + j;
      TileOperands t =
          matrix_tile<NR>(rows, x + row * s.k + b.k0, s.k, b.depth, b.w + (j - b.n0) * b.depth,
                          {y + at, s.n, columns, at, s.n, j});
      t.bias = bias != nullptr ? bias + j : nullptr;
      t.prefetch_output = b.depth >= kPrefetchDepth && s.m * s.n >= kPrefetchFloats;
      t.accumulate = b.k0 > 0;
      t.finish = b.k0 + b.depth >= s.k;
      if (b.next != nullptr) {
        t.prefetch_step = b.next_step > own_tiles.size() ? b.next_step / own_tiles.size() : 1;
        t.prefetch_weights = b.next + (i - own_tiles.begin) * b.depth * t.prefetch_step;
      }
      Tiles::run(rows, t, epilogue);
    }
    row += rows;
  }
}

// x: [m, k].  bias: [n] or null.  y: [m, n].  scratch: widened_size<NR>.  weights.widen(panel, k0,
// depth, to) writes the rows k0 to k0 + depth of a panel of NR columns; weights.at(panel, k0) is
// where they are stored, packed, and what comes next follows: weights.step floats for each row.
// Sums are those of gemm.  s: m, k, n.
template <int MR, int NR, class S, class Weights, class Epilogue>
void gemm_dequant(const S& s, const float* x, const float* bias, float* y, float* scratch,
                  const Epilogue& epilogue, const Weights& weights) {
  using Tiles = RowTiles<MR, NR, fixed_extent(&S::m), fixed_extent(&S::n)>;
  const Tiles tiles(s.m);
  const auto [own_tiles, own_panels] =
      chunk_grid(chunk_of(s), tiles.split.tiles, Tiles::most, (s.n + NR - 1) / NR, NR);
  const GemmBlocks block = widened_blocks<NR>(s.m, s.k, s.n);
  const Index n_end = own_panels.end * NR < s.n ? own_panels.end * NR : s.n;
  if (own_tiles.size() <= 0) return;
  for (Index n0 = own_panels.begin * NR; n0 < n_end; n0 += block.width) {
    WidenedBlock b = {scratch,     n0, n0 + block.width < n_end ? n0 + block.width : n_end,
                      0,           0,  nullptr,
                      weights.step};
    do {
      b.depth = s.k - b.k0 < block.depth ? s.k - b.k0 : block.depth;
      float* to = scratch;
      for (Index j = n0; j < b.n1; j += NR, to += b.depth * NR)
        weights.widen(j / NR, b.k0, b.depth, to);
      if (block.width == NR) b.next = weights.at(n0 / NR, b.k0 + b.depth);
      widened_rows<MR, NR>(s, tiles, own_tiles, x, b, bias, y, epilogue);
      b.k0 += b.depth;
    } while (b.k0 < s.k);
  }
}

}  // namespace onnxc
