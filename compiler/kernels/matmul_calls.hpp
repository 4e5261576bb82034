// matmul_calls.hpp - shapes and calls passed to the kernels of this folder; the members are
// documented with the kernels.
#pragma once

#include <optional>

#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

// Tiles of `rows` by `panel`: MR and NR of gemm.hpp.
struct TileArguments {
  int rows, panel;
};

// The columns of a panel: NR.
struct PanelArgument {
  int panel;
};

// y [m, n] = x [m, k] * w + bias.
template <class N>
struct GemmShape {
  N m, k, n;
  N ldx, ldy;  // floats from one row of x or y to the next
};

// x: [m, k]. w: pack_gemm_b<panel> of [k, n]. bias: [n] or null. y: [m, n].
template <class A>
struct GemmOperands {
  A x, w, bias, y;
  std::optional<A> epilogue;
};

// gemm.hpp.
template <class N, class A>
struct GemmCall {
  static constexpr const char* kernel = "gemm";
  TileArguments tile;
  GemmShape<N> shape;
  GemmOperands<A> operands;
};

// The same with rows of x and y close together.
template <class N>
struct DenseGemmShape {
  N m, k, n;
};

// gemm_f16_weights.hpp; w: pack_gemm_b<panel> as float16 or bfloat16. scratch:
// widened_size<panel>(m, k, n) floats above kFewHalfFloatRows rows, else null.
template <class N, class A>
struct GemmF16WeightsCall {
  static constexpr const char* kernel = "gemm_f16_weights";
  struct Operands {
    A x, w, bias, y, scratch;
    std::optional<A> epilogue;
  };
  TileArguments tile;
  DenseGemmShape<N> shape;
  Operands operands;
};

// `batch` products y [m, n] = alpha * a [m, k] * b of run-time operands.
template <class N>
struct DynamicGemmShape {
  N batch, m, k, n;
  N lda, ldb, ldy;              // floats from one row to the next
  N a_batch, b_batch, y_batch;  // floats from one product to the next; 0: the same operand again
  bool transposed_b;            // b is [n, k], not [k, n]
  float alpha;
  N packed_floats;  // of b at a time; one panel at least
};

// gemm_dynamic.hpp; scratch: gemm_dynamic_scratch(shape, panel) floats.
template <class N, class A>
struct GemmDynamicCall {
  static constexpr const char* kernel = "gemm_dynamic";
  struct Operands {
    A a, b, y, scratch;
    std::optional<A> epilogue;
  };
  TileArguments tile;
  DynamicGemmShape<N> shape;
  Operands operands;
};

// Of det and inverse.
template <class N>
struct SquareMatricesShape {
  N batch, size;
};

template <class N>
struct MatrixBatch {
  ListOf<N> batch, a_batch, b_batch;
};

template <class N>
struct MatrixStrides {
  N m, k, n;
  N a_row, a_column, b_row, b_column;
};

template <class N>
struct AddedMatrix {
  N c_row, c_column;
  float alpha, beta;
};

template <class N>
struct MatMulNdShape {
  MatrixBatch<N> batch;
  MatrixStrides<N> matrices;
  AddedMatrix<N> c;
};

template <class N>
struct GemmScaledShape {
  MatrixStrides<N> matrices;
  AddedMatrix<N> c;
};

// Strides of scales and zero points of rows of a or columns of b.
template <class N>
struct AZeroStrides {
  ListOf<N> a_zero_batch;
  N a_zero_step;
};

template <class N>
struct BZeroStrides {
  ListOf<N> b_zero_batch;
  N b_zero_step;
};

template <class N>
struct AScaleStrides {
  ListOf<N> a_scale_batch;
  N a_scale_step;
};

template <class N>
struct BScaleStrides {
  ListOf<N> b_scale_batch;
  N b_scale_step;
};

template <class N>
struct MatMulIntegerShape {
  MatrixBatch<N> batch;
  MatrixStrides<N> matrices;
  AZeroStrides<N> a_zero;
  BZeroStrides<N> b_zero;
};

// gemm_dynamic_int8.hpp; scratch: byte_product_words(shape) words, or null.
template <class N>
struct DynamicInt8GemmShape {
  MatrixBatch<N> batch;
  MatrixStrides<N> matrices;
  N a_zero, b_zero;
};
struct BatchRank {
  int axes;
};
template <class N, class A>
struct GemmDynamicInt8Call {
  static constexpr const char* kernel = "gemm_dynamic_int8";
  struct Operands {
    A a, b, y, scratch;
    std::optional<A> epilogue;
  };
  BatchRank tile;
  DynamicInt8GemmShape<N> shape;
  Operands operands;
};

template <class N>
struct QlinearMatMulShape {
  MatrixBatch<N> batch;
  MatrixStrides<N> matrices;
  AScaleStrides<N> a_scale;
  AZeroStrides<N> a_zero;
  BScaleStrides<N> b_scale;
  BZeroStrides<N> b_zero;
};

template <class N>
struct ChooseExpertsShape {
  N tokens, experts, k;
  bool over_all, normalize;
};

// Of expert_gates and expert_outputs.
template <class N>
struct ExpertShape {
  N tokens, k, hidden, inter, block;
  N activation, fusion;
  float alpha, beta, limit;
};

template <class N>
struct GatherNBitsShape {
  N count, k, n, block;
  bool zeros = false;
};

// Of matmul_nbits and matmul_nbits_packed; only the latter reads what follows block.
template <class N>
struct MatMulNBitsShape {
  N m, k, n, block;
  bool zeros = false, fixed_point = false, pairs = false;
};

}  // namespace onnxc
