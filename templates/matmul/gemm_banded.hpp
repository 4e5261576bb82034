// gemm_banded.hpp - matrix product with constant weights of which each column is zero but for a few
// neighbouring rows, as in the filters of a mel scale: only those are stored and read.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/matmul/tile_operands.hpp"

namespace onnxc {

// x: [m, k]. bands: [2 * n], of each column its first row and its count of rows. w: the weights of
// these rows, column after column. y: [m, n].  s: m, k, n.
template <class S, class Epilogue = NoEpilogue>
void gemm_banded(S s, const float* x, const std::uint16_t* bands, const float* w, float* y,
                 Epilogue epilogue = {}) {
  for (Index row = 0; row < s.m; ++row, x += s.k) {
    const float* weight = w;
    for (Index j = 0; j < s.n; ++j) {
      const float* const from = x + bands[2 * j];
      const Index count = bands[2 * j + 1];
      float sum = 0;
      for (Index i = 0; i < count; ++i) sum += from[i] * weight[i];
      weight += count;
      y[row * s.n + j] = epilogue(sum, row * s.n + j, j);
    }
  }
}

}  // namespace onnxc
