// Products of quantised matrices with float results, as MatMulInteger and scaling.
#pragma once

#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops {

// Inputs of such a product; null where left out.
struct QuantizedProduct {
  Value *a = nullptr, *b = nullptr, *a_scale = nullptr, *b_scale = nullptr;
  Value *a_zero = nullptr, *b_zero = nullptr;
  Value* summand = nullptr;  // int32, added to the accumulators
  Value* bias = nullptr;     // float, added last
  float alpha = 1;
};

// (a - a_zero) * (b - b_zero), summed in int32, times the scales, plus the bias.
inline Value* emit_product(Upgrade& n, const QuantizedProduct& p) {
  Value* sum = n.emit("MatMulInteger", {p.a, p.b, p.a_zero, p.b_zero});
  if (p.summand) sum = n.emit("Add", {sum, p.summand});
  Value* factor = n.emit("Mul", {p.a_scale, p.b_scale});
  if (p.alpha != 1.0f) factor = n.emit("Mul", {factor, n.constant(Tensor::scalar(p.alpha))});
  Value* converted = n.emit("CastLike", {sum, p.a_scale});
  Value* y = n.emit("Mul", {converted, factor});
  return p.bias ? n.emit("Add", {y, p.bias}) : y;
}

}  // namespace onnxc::ops
