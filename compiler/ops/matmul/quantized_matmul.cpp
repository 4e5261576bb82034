// Emits a product of quantised matrices as MatMulInteger and scaling.
#include "compiler/ops/matmul/quantized_matmul.hpp"

namespace onnxc::ops {

Value* emit_product(Upgrade& n, const QuantizedProduct& p) {
  Value* sum = n.emit("MatMulInteger", {p.a, p.b, p.a_zero, p.b_zero});
  if (p.summand) sum = n.emit("Add", {sum, p.summand});
  Value* factor = n.emit("Mul", {p.a_scale, p.b_scale});
  if (p.alpha != 1.0f) factor = n.emit("Mul", {factor, n.constant(Tensor::scalar(p.alpha))});
  Value* converted = n.emit("CastLike", {sum, p.a_scale});
  Value* y = n.emit("Mul", {converted, factor});
  return p.bias ? n.emit("Add", {y, p.bias}) : y;
}

}  // namespace onnxc::ops
