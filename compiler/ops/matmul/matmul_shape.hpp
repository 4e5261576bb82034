// Shapes of matrix products with NumPy's rules for vectors and batches.
#pragma once

#include "compiler/kernels/matmul_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

struct MatMul {
  Shape batch;             // broadcast leading extents, at least one
  Shape a_batch, b_batch;  // strides along them
  Dim m, k, n;
  Shape out;  // of the result
};

// Of inputs a and b, whose ranks are known.
MatMul read_matmul(const NodeView& n, std::size_t a, std::size_t b);
void infer_matmul(Infer& n, ElemType elem, std::size_t a, std::size_t b);

// Strides of a scale or zero point of the rows of A, or of the columns of B. It has one element,
// one for each row (column), or one for each row (column) of every matrix of the batch.
struct ParameterStrides {
  Shape batch;
  Dim stride;

  template <template <class> class S>
  operator S<Dim>() const {
    return {batch, stride};
  }
};
ParameterStrides parameter_strides(const NodeView& n, std::size_t input, const std::string& name,
                                   const MatMul& m, bool of_rows);
// Whether it has rows and columns: [..., rows or 1, 1], or [..., 1, columns or 1], where `...`
// broadcasts to the batch. Otherwise it is a vector.
bool broadcasts_to_matrices(const Shape& parameter, const MatMul& m, bool of_rows);
MatrixStrides<Dim> plain_matrices(const MatMul& m);

// Scratch for the columns that matmul_nd packs, for an [m, k] matrix of the element type of input
// 0; -1 where packing does not pay. add_panel adds it, or null, to the call.
BufferId product_panel(Lower& n, const Dim& m, const Dim& k);
Call& add_panel(Call& call, BufferId panel, ElemType elem);

// Calls gemm_dynamic for float32 inputs a and b, if the batch has one stride for each. Returns
// false, and adds no step, for other types.
struct DynamicProduct {
  Dim batch = 1, m, k, n, a_batch = 0, b_batch = 0;
  bool transposed_b = false;
  float alpha = 1;
  std::optional<BufferId> a = std::nullopt;  // in the place of input a
};
bool lower_dynamic(Lower& n, const DynamicProduct& p, const Lambda* epilogue);
// Sets p from a MatMul whose batch collapses to one axis; false if it does not.
bool collapse_batch(const MatMul& m, DynamicProduct& p);

}  // namespace onnxc::ops
