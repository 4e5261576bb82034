// com.microsoft SkipLayerNormalization and SkipSimplifiedLayerNormalization: the sum of two tensors
// and a bias, normalised over the last axis.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::skip_layer_normalization {
namespace {

// input + skip + bias, which is also an output.
Value* sum_of(Upgrade& n, std::size_t bias) {
  const std::vector<Value*> inputs = n.node().inputs;
  Value* sum = n.emit("Add", {to_float32(n, inputs[0]), to_float32(n, inputs[1])});
  if (n.has_input(bias)) sum = n.emit("Add", {sum, to_float32(n, inputs[bias])});
  if (n.has_output(3)) n.emit_after("CastLike", {sum, inputs[0]}, n.node().outputs[3]);
  return sum;
}

void finish(Upgrade& n, std::vector<Value*> inputs, const char* op_type, std::size_t outputs) {
  Node& node = n.mutable_node();
  Value* like = node.inputs[0];
  node.inputs = std::move(inputs);
  cast_output_like(n, like);
  if (node.outputs.size() > outputs) node.outputs.resize(outputs);
  n.set("axis", std::int64_t{-1});
  n.set("epsilon", n.attr_float("epsilon"));
  n.to(op_type);
}

void upgrade(Upgrade& n) {
  Value* gamma = to_float32(n, n.node().inputs[2]);
  Value* beta = n.has_input(3) ? to_float32(n, n.node().inputs[3]) : nullptr;
  finish(n, {sum_of(n, 4), gamma, beta}, "LayerNormalization", 3);
}

void upgrade_simplified(Upgrade& n) {
  for (std::size_t i : {1, 2})
    if (n.has_output(i))
      n.unsupported(fmt::format("output {}", i), "the statistics of training are not computed");
  Value* gamma = to_float32(n, n.node().inputs[2]);
  finish(n, {sum_of(n, 3), gamma}, "RMSNormalization", 1);
}

constexpr Op rows[] = {
    contrib({
        .name = "SkipLayerNormalization",
        .inputs = "input:T skip:T gamma:T beta:T? bias:T?",
        .outputs = "output:T mean:float? inv_std_var:float? input_skip_bias_sum:T?",
        .types = "T: floats",
        .attributes = "epsilon:float=1e-12",
        .upgrade = upgrade,
    }),
    contrib({
        .name = "SkipSimplifiedLayerNormalization",
        .inputs = "input:T skip:T gamma:T bias:T?",
        .outputs = "output:T mean:float? inv_std_var:float? input_skip_bias_sum:T?",
        .types = "T: floats",
        .attributes = "epsilon:float=1e-12",
        .limits = "mean and inv_std_var, which only training reads",
        .upgrade = upgrade_simplified,
    })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::skip_layer_normalization
