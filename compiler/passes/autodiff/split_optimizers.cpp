// split_optimizers: an Adagrad, Adam or Momentum over several tensors becomes one node for each, so
// that each can run as soon as its gradient is there. An Adam that reads a tensor times a number,
// as weight decay has it, takes both, so that the product is nowhere in memory.
//
// Needs: types. Produces: optimisers of one tensor.
#include <algorithm>
#include <array>

#include "compiler/ir/editor.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

// How many lists of tensors an optimiser reads: tensors, gradients and its states.
std::size_t groups_of(const Node& node) {
  static const std::string domain = "ai.onnx.preview.training";
  static const std::array<std::pair<const ops::Op*, std::size_t>, 3> kOptimizers = {
      std::pair(ops::find(domain, "Adagrad"), std::size_t{3}),
      std::pair(ops::find(domain, "Adam"), std::size_t{4}),
      std::pair(ops::find(domain, "Momentum"), std::size_t{3})};
  for (const auto& [op, groups] : kOptimizers)
    if (node.op == op) return groups;
  return 0;
}

// The Mul of a weight and a number that only this optimiser reads, if it is an Adam; null if it
// reads something else.
const Node* decay_of(const Node& adam, const Value& x) {
  static const ops::Op* const kMul = ops::find("", "Mul");
  static const ops::Op* const kAdam = ops::find("ai.onnx.preview.training", "Adam");
  const Node* mul = adam.op == kAdam ? x.producer : nullptr;
  if (!mul || mul->op != kMul || mul->graph != adam.graph || only_user(x) != &adam) return nullptr;
  const Type &whole = mul->inputs[0]->type, &number = mul->inputs[1]->type;
  const bool is_number = number.is_static() && product(*number.shape).is(1);
  return is_number && whole.shape == x.type.shape ? mul : nullptr;
}

// Null if that is not possible.
Node* emit_decayed(Node& node, const std::vector<Value*>& inputs, std::vector<Value*> outputs,
                   GraphEditor& editor) {
  static const ops::Op* const kDecayed = ops::find("onnxc", "AdamDecayed");
  const Node* const mul = decay_of(node, *inputs[2]);
  if (!mul) return nullptr;
  std::vector<Value*> operands = inputs;
  operands[2] = mul->inputs[0];
  operands.push_back(mul->inputs[1]);
  return &editor.emit_as(std::move(outputs), *kDecayed, operands, node.attributes);
}

void split(Node& node, std::size_t groups, GraphEditor& editor) {
  const std::size_t count = (node.inputs.size() - 2) / groups;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Value*> inputs = {node.inputs[0], node.inputs[1]}, outputs;
    for (std::size_t g = 0; g < groups; ++g) inputs.push_back(node.inputs[2 + g * count + i]);
    for (std::size_t g = 0; g + 1 < groups; ++g) outputs.push_back(node.outputs[g * count + i]);
    Node* part = emit_decayed(node, inputs, outputs, editor);
    if (!part) part = &editor.emit_as(outputs, *node.op, inputs, node.attributes);
    // The name of the whole is that of its first tensor, or says nothing about this one.
    part->sources = {outputs[0]->name};
  }
  editor.erase(node);
}

}  // namespace

void split_optimizers(Graph& graph, PassContext&) {
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    const std::size_t groups = groups_of(node);
    if (groups == 0) return;
    if (node.inputs.size() > 2 + groups || decay_of(node, *node.inputs[2]))
      split(node, groups, editor);
  });
}

}  // namespace onnxc::passes
