// pack_recurrent.hpp - orders the weights and biases of a recurrent operator, known only at run
// time, for the kernels of packed weights.
#pragma once

#include "runtime_min/types.hpp"
#include "templates/matmul/gemm.hpp"

namespace onnxc {

// Rows [first, first + columns) of w: [rows, inputs], as a matrix [inputs, columns] in panels of NR
// columns. s: inputs, columns, first.
template <int NR, class S>
void pack_recurrent(S s, const float* w, float* packed) {
  pack_gemm_b<NR>(w + s.first * s.inputs, s.inputs, s.columns, s.inputs, true, packed);
}

// b: [directions, 2 * columns]: the biases of W, and those of R, which count in the first
// recurrent_bias columns. sums: [columns]. s: columns, recurrent_bias, direction.
template <class S>
void add_recurrent_biases(S s, const float* b, float* sums) {
  const float* own = b + s.direction * 2 * s.columns;
  for (Index j = 0; j < s.columns; ++j)
    sums[j] = own[j] + (j < s.recurrent_bias ? own[s.columns + j] : 0.0f);
}

}  // namespace onnxc
