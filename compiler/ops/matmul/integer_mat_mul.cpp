// MatMulInteger: product of int8 or uint8 matrices minus zero points, summed in int32.
// QLinearMatMul: the same with scales and a quantised result. onnxc::MatMulInt8: with constant
// weights [columns, depth] whose zero points are subtracted already; the int32 sums are the result,
// or converted to float32.
#include "compiler/ops/axes.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/int8_weights.hpp"
#include "compiler/ops/macs.hpp"
#include "compiler/ops/matmul/matmul_shape.hpp"
#include "compiler/ops/quantization/quantize.hpp"

namespace onnxc::ops::integer_mat_mul {
namespace {

void infer_mat_mul_integer(Infer& n) {
  infer_matmul(n, ElemType::int32, 0, 1);
  if (!n.has_rank(0) || !n.has_rank(1)) return;
  const MatMul m = read_matmul(n, 0, 1);
  parameter_strides(n, 2, "a_zero_point", m, true);
  parameter_strides(n, 3, "b_zero_point", m, false);
}

void lower_mat_mul_integer(Lower& n) {
  const MatMul m = read_matmul(n, 0, 1);
  Call call = n.call("matmul_integer",
                     MatMulIntegerShape<Dim>{{m.batch, m.a_batch, m.b_batch},
                                             plain_matrices(m),
                                             parameter_strides(n, 2, "a_zero_point", m, true),
                                             parameter_strides(n, 3, "b_zero_point", m, false)});
  call.template_arg(std::to_string(m.batch.size())).in({0, 1}).in(2, n.elem(0)).in(3, n.elem(1));
  call.out(0).macs(n.macs());
}

void infer_qlinear_mat_mul(Infer& n) {
  infer_matmul(n, n.elem(7), 0, 3);
  if (!n.has_rank(0) || !n.has_rank(3)) return;
  const MatMul m = read_matmul(n, 0, 3);
  for (std::size_t i : {1, 2})
    parameter_strides(n, i, i == 1 ? "a_scale" : "a_zero_point", m, true);
  for (std::size_t i : {4, 5})
    parameter_strides(n, i, i == 4 ? "b_scale" : "b_zero_point", m, false);
  for (std::size_t i : {6, 7}) vector_stride(n, i, i == 6 ? "y_scale" : "y_zero_point", 1);
}

void lower_qlinear_mat_mul(Lower& n) {
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

void infer_mat_mul_int8(Infer& n) {
  Shape out = n.shape(0);
  out.back() = n.shape(1)[0];
  n.output(0, n.attr_int("sums") != 0 ? ElemType::int32 : ElemType::float32, out);
}

void lower_mat_mul_int8(Lower& n) {
  const Int8Weights w{n.constant(1), n.constant(3), n.constant(2)};
  const Shape& a = n.shape(0);
  const Convolution c = pointwise(product(a, 0, a.size() - 1), a.back(), n.shape(1)[0]);
  lower_int8_convolution(n, c, w, zero_point_of(n, "a_zero", 4));
}

// Input i is of the whole operand, of its rows (of `a`) or columns (of `b`), see parameter_strides.
void axes_of_parameter(Axes& n, const MatMul& m, std::size_t i, std::size_t operand, bool of_rows) {
  if (!n.ranked(i) || product(n.shape(i)).is(1)) return;
  const Shape& s = n.shape(i);
  std::vector<int> of_matrix;
  if (n.rank(operand) >= 2) of_matrix = n.inputs()[operand][n.rank(operand) - (of_rows ? 2 : 1)];
  const Dim& extent = of_rows ? m.m : m.n;
  const bool is_vector = !broadcasts_to_matrices(s, m, of_rows);
  const std::size_t batch = is_vector ? 0 : s.size() - 2;
  for (std::size_t axis = batch; axis < s.size(); ++axis)
    if (s[axis] == extent && !s[axis].is(1)) n.input(i, axis, of_matrix);
  // The batch of the result: one operand may have fewer axes, or one element.
  for (std::size_t axis = 0; axis < batch; ++axis)
    if (!s[axis].is(1)) n.input(i, axis, n.outputs()[0][m.batch.size() - batch + axis]);
}

void axes_of_integers(Axes& n) {
  axes_matmul(n, 0, 1);
  const MatMul m = read_matmul(n, 0, 1);
  axes_of_parameter(n, m, 2, 0, true);
  axes_of_parameter(n, m, 3, 1, false);
}

// Sums are rounded at once: the inner axis is whole.
void axes_of_qlinear(Axes& n) {
  axes_matmul(n, 0, 3, false);
  const MatMul m = read_matmul(n, 0, 3);
  for (const std::size_t i : {1, 2}) axes_of_parameter(n, m, i, 0, true);
  for (const std::size_t i : {4, 5}) axes_of_parameter(n, m, i, 3, false);
}

constexpr Op rows[] = {
    {
        .name = "MatMulInteger",
        .versions = "10",
        .inputs = "A:T1 B:T2 a_zero_point:T1? b_zero_point:T2?",
        .outputs = "Y:int32",
        .types = "T1: int8 uint8; T2: int8 uint8",
        .infer = infer_mat_mul_integer,
        .axes = axes_of_integers,
        .lower = lower_mat_mul_integer,
        .macs = matmul_macs<0>,
    },
    {
        .name = "QLinearMatMul",
        .versions = "10 21",
        .inputs = "a:T1 a_scale:TS a_zero_point:T1 b:T2 b_scale:TS b_zero_point:T2 y_scale:TS "
                  "y_zero_point:T3",
        .outputs = "y:T3",
        .types = "TS: float float16 bfloat16; T1: int8 uint8 float8; T2: int8 uint8 float8; "
                 "T3: int8 uint8 float8",
        .infer = infer_qlinear_mat_mul,
        .axes = axes_of_qlinear,
        .lower = lower_qlinear_mat_mul,
        .macs = matmul_macs<0>,
    },
    internal({
        .name = "MatMulInt8",
        .inputs = "A:T1 W:int8 B:int32? R:int8? Z:T1?",
        .outputs = "Y:T2",
        .types = "T1: int8 uint8; T2: float int8 uint8 int32",
        .attributes = "a_zero:int=0 sums:int=0",
        .infer = infer_mat_mul_int8,
        .lower = lower_mat_mul_int8,
        .macs = matmul_macs<0>,
        .epilogue = Epilogue::channel_is_last_axis,
    })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::integer_mat_mul
