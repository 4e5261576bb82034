// gemm_call.hpp - shapes and operands of the products of float matrices.
#pragma once

#include <optional>

#include "templates/matmul/tile_arguments.hpp"
#include "templates/member_list.hpp"

namespace onnxc {

// y [m, n] = x [m, k] * w + bias.
template <class N>
struct GemmShape {
  N m, k, n;
  N ldx, ldy;  // floats from one row of x or y to the next

  using Members =
      MemberList<&GemmShape::m, &GemmShape::k, &GemmShape::n, &GemmShape::ldx, &GemmShape::ldy>;
};

// x: [m, k]. w: pack_gemm_b<panel> of [k, n]. bias: [n] or null. y: [m, n].
template <class A>
struct GemmOperands {
  A x, w, bias, y;
  std::optional<A> epilogue;

  using Members = MemberList<&GemmOperands::x, &GemmOperands::w, &GemmOperands::bias,
                             &GemmOperands::y, &GemmOperands::epilogue>;
};

// gemm.hpp.
template <class N, class A>
struct GemmCall {
  static constexpr const char* kernel = "gemm";
  static constexpr const char* header = "gemm";
  static constexpr bool divisible = true;
  TileArguments tile;
  GemmShape<N> shape;
  GemmOperands<A> operands;
};

// The same with rows of x and y close together.
template <class N>
struct DenseGemmShape {
  N m, k, n;

  using Members = MemberList<&DenseGemmShape::m, &DenseGemmShape::k, &DenseGemmShape::n>;
};

// gemm_f16_weights.hpp; w: pack_gemm_b<panel> as float16 or bfloat16. scratch:
// widened_size<panel>(m, k, n) floats above kFewHalvesRows rows, else null.
template <class N, class A>
struct GemmF16WeightsCall {
  static constexpr const char* kernel = "gemm_f16_weights";
  static constexpr const char* header = "gemm_f16_weights";
  static constexpr bool divisible = true;
  struct Operands {
    A x, w, bias, y, scratch;
    std::optional<A> epilogue;

    using Members = MemberList<&Operands::x, &Operands::w, &Operands::bias, &Operands::y,
                               &Operands::scratch, &Operands::epilogue>;
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

  using Members = MemberList<&DynamicGemmShape::batch, &DynamicGemmShape::m, &DynamicGemmShape::k,
                             &DynamicGemmShape::n, &DynamicGemmShape::lda, &DynamicGemmShape::ldb,
                             &DynamicGemmShape::ldy, &DynamicGemmShape::a_batch,
                             &DynamicGemmShape::b_batch, &DynamicGemmShape::y_batch,
                             &DynamicGemmShape::transposed_b, &DynamicGemmShape::alpha>;
};

// gemm_dynamic.hpp; scratch: gemm_dynamic_scratch(shape, panel) floats.
template <class N, class A>
struct GemmDynamicCall {
  static constexpr const char* kernel = "gemm_dynamic";
  static constexpr const char* header = "gemm_dynamic";
  static constexpr bool divisible = true;
  struct Operands {
    A a, b, y, scratch;
    std::optional<A> epilogue;

    using Members = MemberList<&Operands::a, &Operands::b, &Operands::y, &Operands::scratch,
                               &Operands::epilogue>;
  };
  TileArguments tile;
  DynamicGemmShape<N> shape;
  Operands operands;
};

}  // namespace onnxc
