// com.microsoft BiasAdd, BiasDropout and BiasSoftmax: a sum followed by a standard operator.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::bias_variants {
namespace {

void upgrade_add(Upgrade& n) {
  const std::vector<Value*> inputs = n.node().inputs;
  n.mutable_node().inputs = {n.emit("Add", {inputs[0], inputs[1]}), inputs[2]};
  n.to("Add");
}

void upgrade_dropout(Upgrade& n) {
  std::vector<Value*> inputs = n.node().inputs;
  inputs.resize(5, nullptr);
  n.mutable_node().inputs = {n.emit("Add", {inputs[0], inputs[1]}), inputs[3], inputs[4]};
  if (inputs[2]) {
    Value* out = n.node().outputs[0];
    n.emit_after("Add", {n.detach_output(0), inputs[2]}, out);
  }
  n.to("Dropout");
}

// Softmax runs over all axes from `axis` on; the bias broadcasts along the others.
void upgrade_softmax(Upgrade& n) {
  const std::vector<Value*> inputs = n.node().inputs;
  const std::int64_t axis = n.attr_int("axis");
  Value* sum = n.emit("Add", {inputs[0], inputs[1]});
  Value* shape = n.emit("Shape", {sum});
  Value* out = n.node().outputs[0];
  n.mutable_node().inputs = {n.emit("Flatten", {sum}, {{"axis", axis}})};
  n.mutable_node().attributes = {{"axis", std::int64_t{-1}}};
  n.emit_after("Reshape", {n.detach_output(0), shape}, out, {{"allowzero", std::int64_t{1}}});
  n.to("Softmax");
}

constexpr Op rows[] = {contrib({
                           .name = "BiasAdd",
                           .inputs = "X:T bias:T skip:T",
                           .outputs = "Y:T",
                           .types = "T: float float16",
                           .upgrade = upgrade_add,
                       }),
                       contrib({
                           .name = "BiasDropout",
                           .inputs = "data:T bias:T residual:T? ratio:T1? training_mode:bool?",
                           .outputs = "output:T mask:bool?",
                           .types = "T: floats; T1: floats",
                           .attributes = "seed:int",
                           .upgrade = upgrade_dropout,
                       }),
                       contrib({
                           .name = "BiasSoftmax",
                           .inputs = "data:T bias:T",
                           .outputs = "output:T",
                           .types = "T: classic_floats",
                           .attributes = "axis:int=1 is_inner_broadcast:int!",
                           .upgrade = upgrade_softmax,
                       })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::bias_variants
