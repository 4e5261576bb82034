// com.microsoft Gelu, FastGelu, BiasGelu, QuickGelu and BiasSplitGelu: Gelu and Swish of x plus a
// bias.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::gelu_variants {
namespace {

void add_bias(Upgrade& n) {
  if (!n.has_input(1)) return;
  const std::vector<Value*> inputs = n.node().inputs;
  n.mutable_node().inputs = {n.emit("Add", {inputs[0], inputs[1]})};
}

void upgrade_exact(Upgrade& n) {
  add_bias(n);
  n.to("Gelu");
}

void upgrade_fast(Upgrade& n) {
  add_bias(n);
  n.mutable_node().inputs.resize(1);
  n.set("approximate", std::string("tanh"));
  n.to("Gelu");
}

void upgrade_quick(Upgrade& n) {
  n.set("alpha", n.attr_float("alpha"));
  n.to("Swish");
}

// The left half of the last axis times the Gelu of the right half.
void upgrade_split(Upgrade& n) {
  const std::vector<Value*> inputs = n.node().inputs;
  Value* sum = n.emit("Add", {inputs[0], inputs[1]});
  Value* left =
      n.emit("Split", {sum}, {{"axis", std::int64_t{-1}}, {"num_outputs", std::int64_t{2}}});
  Value* right = n.graph().add_value(n.graph().fresh_name(left->name));
  n.before.back()->outputs.push_back(right);
  Value* gate = n.emit("Gelu", {right});
  n.mutable_node().inputs = {left, gate};
  n.to("Mul");
}

constexpr Op contrib(Op op) {
  op.domain = "com.microsoft";
  op.versions = "1";
  op.types = "T: floats";
  return op;
}

constexpr Op rows[] = {
    contrib({.name = "Gelu", .inputs = "X:T", .outputs = "Y:T", .upgrade = upgrade_exact}),
    contrib(
        {.name = "FastGelu", .inputs = "X:T bias:T?", .outputs = "Y:T", .upgrade = upgrade_fast}),
    contrib({.name = "BiasGelu", .inputs = "A:T B:T", .outputs = "C:T", .upgrade = upgrade_exact}),
    contrib({.name = "QuickGelu",
             .inputs = "X:T",
             .outputs = "Y:T",
             .attributes = "alpha:float=1.702",
             .upgrade = upgrade_quick}),
    contrib({.name = "BiasSplitGelu",
             .inputs = "X:T bias:T",
             .outputs = "Y:T",
             .upgrade = upgrade_split})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::gelu_variants
