// com.microsoft LinearAttentionGate, GatedRMSNorm and GatedAdd: what exporters fuse around
// LinearAttention and mixtures of experts.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::linear_attention_gates {
namespace {

// decay = decay_scale * Softplus(a + dt_bias), beta = Sigmoid(b)
void upgrade_gate(Upgrade& n) {
  Node& node = n.mutable_node();
  const std::vector<Value*> inputs = node.inputs;
  n.require(n.has_input(3) || !n.has_output(1), "output 1 \"beta\"", "needs input 3 \"b\"");
  if (n.has_output(1)) n.emit_after("Sigmoid", {inputs[3]}, node.outputs[1]);
  Value* sum = n.emit("Add", {to_float32(n, inputs[0]), inputs[1]});
  node.inputs = {n.emit("Softplus", {sum}), inputs[2]};
  node.outputs.resize(1);
  cast_output_like(n, inputs[0]);
  n.to("Mul");
}

// X * rsqrt(mean(X^2) + epsilon) * scale * SiLU(gate), the mean over as many elements as scale has.
void upgrade_norm(Upgrade& n) {
  Node& node = n.mutable_node();
  const std::vector<Value*> inputs = node.inputs;
  Value *x = to_float32(n, inputs[0]), *scale = to_float32(n, inputs[1]),
        *gate = to_float32(n, inputs[2]);
  Value* outer = n.emit("Shape", {x}, {{"end", std::int64_t{-1}}});
  Value* groups = n.constant(Tensor::ints(std::vector<std::int64_t>{-1}));
  Value* shape =
      n.emit("Concat", {outer, groups, n.emit("Shape", {scale})}, {{"axis", std::int64_t{0}}});
  Value* split = n.emit("Reshape", {x, shape});
  Value* norm = n.emit("RMSNormalization", {split, scale}, {{"epsilon", n.attr_float("epsilon")}});
  Value* whole = n.emit("Reshape", {norm, n.emit("Shape", {inputs[0]})});
  node.inputs = {whole, n.emit("Swish", {gate})};
  n.remove("epsilon");
  cast_output_like(n, inputs[0]);
  n.to("Mul");
}

void upgrade_add(Upgrade& n) {
  Node& node = n.mutable_node();
  node.inputs = {node.inputs[0], n.emit("Mul", {node.inputs[1], node.inputs[2]})};
  n.to("Add");
}

constexpr Op rows[] = {contrib({
                           .name = "LinearAttentionGate",
                           .inputs = "a:T dt_bias:float decay_scale:float b:T?",
                           .outputs = "decay:T beta:T?",
                           .types = "T: float float16 bfloat16",
                           .upgrade = upgrade_gate,
                       }),
                       contrib({
                           .name = "GatedRMSNorm",
                           .inputs = "X:T scale:T gate:T",
                           .outputs = "Y:T",
                           .types = "T: float float16 bfloat16",
                           .attributes = "epsilon:float=1e-5",
                           .upgrade = upgrade_norm,
                       }),
                       contrib({
                           .name = "GatedAdd",
                           .inputs = "X:T Y:T gate:T",
                           .outputs = "output:T",
                           .types = "T: float float16 bfloat16",
                           .upgrade = upgrade_add,
                       })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::linear_attention_gates
