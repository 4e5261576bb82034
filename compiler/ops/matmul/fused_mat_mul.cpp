// com.microsoft FusedMatMul, TransposeMatMul, FusedMatMulActivation and GemmFastGelu: MatMul with a
// fused transposition, scale or activation.
#include <algorithm>

#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::fused_mat_mul {
namespace {

Value* move_axis(Upgrade& n, Value* x, std::int64_t from, std::int64_t to) {
  return n.emit("onnxc::MoveAxis", {x}, {{"from", from}, {"to", to}});
}

bool take_flag(Upgrade& n, const std::string& name) {
  const bool set = n.has_attr(name) && n.attr_int(name) != 0;
  n.remove(name);
  return set;
}

// transBatch moves the first axis to the last but one, before the transposition.
void apply_flags(Upgrade& n, std::size_t i, const std::string& letter) {
  if (take_flag(n, "transBatch" + letter)) n.set_input(i, move_axis(n, n.node().inputs[i], 0, -2));
  if (take_flag(n, "trans" + letter)) n.set_input(i, move_axis(n, n.node().inputs[i], -1, -2));
}

void upgrade(Upgrade& n) {
  const float alpha = n.attr_float("alpha");
  n.remove("alpha");
  n.remove("activation_axis");
  apply_flags(n, 0, "A");
  apply_flags(n, 1, "B");
  split_off_activation(n);
  n.to("MatMul");
  if (alpha == 1.0f) return;
  // Scales the product before the activation, which split_off_activation has appended.
  Value* out = n.mutable_node().outputs[0];
  Value* product = n.detach_output(0);
  Value* factor = n.emit("CastLike", {n.constant(Tensor::scalar(alpha)), n.node().inputs[0]});
  n.emit_after("Mul", {product, factor}, out);
  std::rotate(n.after.begin(), n.after.end() - 1, n.after.end());
}

void upgrade_fast_gelu(Upgrade& n) {
  Value* sum = n.emit("MatMul", {n.node().inputs[0], n.node().inputs[1]});
  if (n.has_input(2)) sum = n.emit("Add", {sum, n.node().inputs[2]});
  n.mutable_node().inputs = {sum};
  n.mutable_node().attributes = {{"approximate", std::string("tanh")}};
  n.to("Gelu");
}

constexpr std::string_view kAttributes =
    "alpha:float=1 transA:int=0 transB:int=0 transBatchA:int=0 transBatchB:int=0";

constexpr Op rows[] = {
    contrib({
        .name = "FusedMatMul",
        .inputs = "A:T B:T",
        .outputs = "Y:T",
        .types = "T: floats",
        .attributes = kAttributes,
        .upgrade = upgrade,
    }),
    contrib({
        .name = "TransposeMatMul",
        .inputs = "A:T B:T",
        .outputs = "Y:T",
        .types = "T: floats",
        .attributes = "alpha:float=1 transA:int=0 transB:int=0",
        .upgrade = upgrade,
    }),
    contrib({
        .name = "FusedMatMulActivation",
        .inputs = "A:T B:T",
        .outputs = "Y:T",
        .types = "T: floats",
        .attributes = "alpha:float=1 transA:int=0 transB:int=0 transBatchA:int=0 "
                      "transBatchB:int=0 activation:string! activation_alpha:float "
                      "activation_beta:float activation_gamma:float activation_axis:int",
        .upgrade = upgrade,
    }),
    contrib({
        .name = "GemmFastGelu",
        .inputs = "X:T W:T bias:T?",
        .outputs = "Y:T",
        .types = "T: float float16 bfloat16",
        .upgrade = upgrade_fast_gelu,
    })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::fused_mat_mul
