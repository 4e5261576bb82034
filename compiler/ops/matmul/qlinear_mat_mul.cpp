// QLinearMatMul: product of quantised matrices with a quantised result.
#include "compiler/ops/macs.hpp"
#include "compiler/ops/matmul/matmul_shape.hpp"
#include "compiler/ops/quantization/quantize.hpp"

namespace onnxc::ops::qlinear_mat_mul {
namespace {

void infer(Infer& n) {
  infer_matmul(n, n.elem(7), 0, 3);
  if (!n.has_rank(0) || !n.has_rank(3)) return;
  const MatMul m = read_matmul(n, 0, 3);
  for (std::size_t i : {1, 2})
    parameter_strides(n, i, i == 1 ? "a_scale" : "a_zero_point", m, true);
  for (std::size_t i : {4, 5})
    parameter_strides(n, i, i == 4 ? "b_scale" : "b_zero_point", m, false);
  for (std::size_t i : {6, 7}) vector_stride(n, i, i == 6 ? "y_scale" : "y_zero_point", 1);
}

void lower(Lower& n) {
  const MatMul m = read_matmul(n, 0, 3);
  Call call = n.call("qlinear_matmul",
                     QlinearMatMulShape<Dim>{{m.batch, m.a_batch, m.b_batch},
                                             plain_matrices(m),
                                             parameter_strides(n, 1, "a_scale", m, true),
                                             parameter_strides(n, 2, "a_zero_point", m, true),
                                             parameter_strides(n, 4, "b_scale", m, false),
                                             parameter_strides(n, 5, "b_zero_point", m, false)});
  call.template_arg(std::to_string(m.batch.size())).in({0, 1, 2, 3, 4, 5, 6, 7}).out(0);
  call.macs(n.macs());
}

constexpr Op rows[] = {{
    .name = "QLinearMatMul",
    .versions = "10 21",
    .inputs = "a:T1 a_scale:TS a_zero_point:T1 b:T2 b_scale:TS b_zero_point:T2 y_scale:TS "
              "y_zero_point:T3",
    .outputs = "y:T3",
    .types = "TS: float float16 bfloat16; T1: int8 uint8 float8; T2: int8 uint8 float8; "
             "T3: int8 uint8 float8",
    .infer = infer,
    .lower = lower,
    .macs = matmul_macs<0>,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::qlinear_mat_mul
