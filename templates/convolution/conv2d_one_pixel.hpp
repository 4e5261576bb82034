// conv2d_one_pixel.hpp - a convolution with a single output pixel, as a TCN has that is called for
// each sample: one row of a matrix product.
//
// Four independent sums, each of a quarter of the channels, as gemv_panel has: a tile of one row
// would wait for each addition. So it adds in another order than conv2d_nhwc.
#pragma once

#include <cstddef>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/gemv.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

// x: [1, in_h, in_w, in_c], all of whose taps are inside. w: pack_conv2d<NR>. bias: [out_c] or
// null. y: [1, 1, 1, out_c]. s: in_w, in_c, out_c, k_h, k_w, dilation_h, dilation_w, ldx.
// Divisible.
template <int NR, class S, class Epilogue = NoEpilogue>
void conv2d_one_pixel(S s, const float* x, const float* w, const float* bias, float* y,
                      Epilogue epilogue = {}) {
  constexpr std::size_t vectors = tile_vectors<NR>;
  constexpr Index n = tile_lanes<NR>, nv = tile_vectors<NR>;
  using V = vec<tile_lanes<NR>>;
  const Index quarter = s.in_c / 4, size = s.k_h * s.k_w * s.in_c;
  const auto panel_sums = [&](Index column, float* to) {
    for (Index j0 = 0; j0 < NR; j0 += n * nv) {
      const float* tap = w + column * size + j0;
      V acc[4][vectors] = {};
      const auto add = [&](std::size_t u, const float* pixel, Index c) {
        for (std::size_t j = 0; j < vectors; ++j)
          acc[u][j] += pixel[c] * load<V>(tap + c * NR + n * static_cast<Index>(j));
      };
      for (Index i = 0; i < s.k_h * s.k_w; ++i, tap += s.in_c * NR) {
        const Index column_of_x = i / s.k_w * s.dilation_h * s.in_w + i % s.k_w * s.dilation_w;
        const float* const pixel = x + column_of_x * s.ldx;
        for (Index c = 0; c < quarter; ++c)
          for (std::size_t u = 0; u < 4; ++u) add(u, pixel, static_cast<Index>(u) * quarter + c);
        for (Index c = 4 * quarter; c < s.in_c; ++c) add(0, pixel, c);
      }
      for (std::size_t j = 0; j < vectors; ++j)
        store(to + j0 + n * static_cast<Index>(j),
              (acc[0][j] + acc[1][j]) + (acc[2][j] + acc[3][j]));
    }
  };
  gemv_panels<NR>(chunk_range(s, s.out_c, NR), bias, y, epilogue, panel_sums);
}

}  // namespace onnxc
