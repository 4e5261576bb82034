// split_optimizers: an Adagrad, Adam or Momentum over several tensors becomes one node for each, so
// that each can run as soon as its gradient is there.
// Needs: types. Gives: optimisers of one tensor.
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

void split(Node& node, std::size_t groups, GraphEditor& editor) {
  const std::size_t count = (node.inputs.size() - 2) / groups;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Value*> inputs = {node.inputs[0], node.inputs[1]}, outputs;
    for (std::size_t g = 0; g < groups; ++g) inputs.push_back(node.inputs[2 + g * count + i]);
    for (std::size_t g = 0; g + 1 < groups; ++g) outputs.push_back(node.outputs[g * count + i]);
    editor.emit_as(outputs, *node.op, inputs, node.attributes);
  }
  editor.erase(node);
}

}  // namespace

void split_optimizers(Graph& graph, PassContext&) {
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    const std::size_t groups = groups_of(node);
    if (groups > 0 && node.inputs.size() > 2 + groups) split(node, groups, editor);
  });
}

}  // namespace onnxc::passes
