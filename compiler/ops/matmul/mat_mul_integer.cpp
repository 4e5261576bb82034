// MatMulInteger: product of int8 or uint8 matrices minus zero points, summed in int32.
#include "compiler/ops/macs.hpp"
#include "compiler/ops/matmul/matmul_shape.hpp"

namespace onnxc::ops::mat_mul_integer {
namespace {

void infer(Infer& n) {
  infer_matmul(n, ElemType::int32, 0, 1);
  if (!n.has_rank(0) || !n.has_rank(1)) return;
  const MatMul m = read_matmul(n, 0, 1);
  parameter_strides(n, 2, "a_zero_point", m, true);
  parameter_strides(n, 3, "b_zero_point", m, false);
}

void lower(Lower& n) {
  const MatMul m = read_matmul(n, 0, 1);
  Call call = n.call("matmul_integer",
                     MatMulIntegerShape<Dim>{{m.batch, m.a_batch, m.b_batch},
                                             plain_matrices(m),
                                             parameter_strides(n, 2, "a_zero_point", m, true),
                                             parameter_strides(n, 3, "b_zero_point", m, false)});
  call.template_arg(std::to_string(m.batch.size())).in({0, 1}).in(2, n.elem(0)).in(3, n.elem(1));
  call.out(0).macs(n.macs());
}

constexpr Op rows[] = {{
    .name = "MatMulInteger",
    .versions = "10",
    .inputs = "A:T1 B:T2 a_zero_point:T1? b_zero_point:T2?",
    .outputs = "Y:int32",
    .types = "T1: int8 uint8; T2: int8 uint8",
    .infer = infer,
    .lower = lower,
    .macs = matmul_macs<0>,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::mat_mul_integer
