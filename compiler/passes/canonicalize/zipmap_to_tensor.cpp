// zipmap_to_tensor: with --zipmap tensor an output that a ZipMap makes is the tensor of scores that
// it reads; the labels of the columns are noted. Requires: types. Produces:
// PassContext::ports->labels. Leaves alone: a ZipMap that other nodes read.
#include <algorithm>

#include "compiler/ir/editor.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

bool is_only_output(const Value& v) {
  return std::all_of(v.users().begin(), v.users().end(), [](const Use& use) { return !use.node; });
}

PortLabels labels_of(const Node& node, const std::string& port) {
  PortLabels labels{port, {}, {}};
  const auto numbers = node.attributes.find("classlabels_int64s");
  const auto texts = node.attributes.find("classlabels_strings");
  if (numbers != node.attributes.end())
    labels.numbers = std::get<std::vector<std::int64_t>>(numbers->second);
  if (texts != node.attributes.end())
    labels.texts = std::get<std::vector<std::string>>(texts->second);
  return labels;
}

}  // namespace

void zipmap_to_tensor(Graph& graph, PassContext& context) {
  if (graph.parent || !context.options.zipmap_tensors || !context.ports) return;
  GraphEditor editor(graph);
  for (Value* const output : graph.outputs) {
    Node* const node = output ? output->producer : nullptr;
    if (!node || !node->op || node->op->name != "ZipMap" || !is_only_output(*output)) continue;
    context.ports->labels.push_back(labels_of(*node, output->name));
    Value* const scores = node->inputs[0];
    editor.before(*node);
    editor.set_output(*node, 0, editor.value(output->type));
    output->type = scores->type;
    editor.emit_as(output, "Identity", {scores});
    editor.erase(*node);
  }
  editor.commit();
}

}  // namespace onnxc::passes
