// Shapes of matrix products with NumPy's rules for vectors and stacks of matrices.
#pragma once

#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

struct MatMul {
  Shape batch;             // broadcast leading extents, at least one
  Shape a_batch, b_batch;  // steps along them, in elements
  Dim m, k, n;
  Shape out;  // of the result
};

// Of inputs a and b, whose ranks are known.
MatMul read_matmul(const NodeView& n, std::size_t a, std::size_t b);
void infer_matmul(Infer& n, ElemType elem, std::size_t a, std::size_t b);

// How a scale or a zero point of the rows of A, or of the columns of B, is walked: it has one
// element, one a row (column), or those for every matrix of the stack.
struct ParameterSteps {
  Shape batch;
  Dim step;
};
ParameterSteps parameter_steps(const NodeView& n, std::size_t input, const std::string& name,
                               const MatMul& m, bool of_rows);
// Members <name>_batch and <name>_step.
void add_parameter(Call& call, const std::string& name, const ParameterSteps& p);

// Members batch, a_batch, b_batch, m, k, n and the steps of plain matrices.
void add_matmul(Call& call, const MatMul& m);

// The scratch that matmul_nd packs columns into, for an [m, k] matrix of the element type of input
// 0; -1 where packing does not pay. add_panel hands it, or null, to the call.
BufferId product_panel(Lower& n, const Dim& m, const Dim& k);
Call& add_panel(Call& call, BufferId panel, ElemType elem);

// gemm_dynamic of inputs a and b, float32, when the stack walks both in constant steps; the
// callable is still to be added. False, without a step, when it cannot.
struct DynamicProduct {
  Dim batch = 1, m, k, n, a_batch = 0, b_batch = 0;
  bool transposed_b = false;
  float alpha = 1;
};
bool lower_dynamic(Lower& n, const DynamicProduct& p, const Lambda* epilogue);
// The same from the stack of a MatMul, if it collapses to one axis.
bool collapse_batch(const MatMul& m, DynamicProduct& p);

}  // namespace onnxc::ops
