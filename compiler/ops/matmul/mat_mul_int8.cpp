// onnxc::MatMulInt8: product of int8 or uint8 data, minus its zero point, with constant weights
// [columns, depth] whose zero points are subtracted already. The int32 sums are the result, or
// converted to float32.
#include "compiler/ops/infer.hpp"
#include "compiler/ops/int8_weights.hpp"
#include "compiler/ops/macs.hpp"

namespace onnxc::ops::mat_mul_int8 {
namespace {

void infer(Infer& n) {
  Shape out = n.shape(0);
  out.back() = n.shape(1)[0];
  n.output(0, n.attr_int("sums") != 0 ? ElemType::int32 : ElemType::float32, out);
}

void lower(Lower& n) {
  const Int8Weights w{n.constant(1), n.constant(3), n.constant(2)};
  const Shape& a = n.shape(0);
  const Convolution c = pointwise(product(a, 0, a.size() - 1), a.back(), n.shape(1)[0]);
  lower_int8_convolution(n, c, w, zero_point_of(n, "a_zero", 4));
}

constexpr Op rows[] = {internal({
    .name = "MatMulInt8",
    .inputs = "A:T1 W:int8 B:int32? R:int8? Z:T1?",
    .outputs = "Y:T2",
    .types = "T1: int8 uint8; T2: float int8 uint8 int32",
    .attributes = "a_zero:int=0 sums:int=0",
    .infer = infer,
    .lower = lower,
    .macs = matmul_macs<0>,
    .epilogue = Epilogue::channel_is_last_axis,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::mat_mul_int8
