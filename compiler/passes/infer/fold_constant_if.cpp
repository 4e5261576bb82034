// fold_constant_if: replaces an If with a constant condition by the nodes of the taken branch.
// Requires: types and constants. Produces: no If with a constant condition; the branches that never
// run, which are unchecked, are removed. Leaves alone: other nodes.
#include "compiler/passes/infer/infer.hpp"

#include <utility>

#include "compiler/ir/editor.hpp"
#include "compiler/ir/op.hpp"

namespace onnxc::passes {
namespace {

bool gives_outputs_of(const Node& node, const Graph& branch) {
  return branch.inputs.empty() && branch.outputs.size() == node.outputs.size();
}

// Null for a dynamic condition, for any other operator, and for an If that its inference refuses.
Graph* taken_branch(const Node& node) {
  static const ops::Op* const kIf = ops::find("", "If");
  if (node.op != kIf || !node.inputs[0] || !node.inputs[0]->constant) return nullptr;
  const Tensor& condition = *node.inputs[0]->constant;
  if (condition.elem() != ElemType::boolean || condition.size() != 1) return nullptr;
  Graph& then_branch = *std::get<std::shared_ptr<Graph>>(*node.find("then_branch"));
  Graph& else_branch = *std::get<std::shared_ptr<Graph>>(*node.find("else_branch"));
  if (!gives_outputs_of(node, then_branch) || !gives_outputs_of(node, else_branch)) return nullptr;
  return condition.to_int64s()[0] != 0 ? &then_branch : &else_branch;
}

void move_values(Graph& from, Graph& to) {
  std::vector<std::unique_ptr<Value>> values = std::move(from.values);
  for (auto& value : values) {
    value->name = to.fresh_name(value->name);
    to.values.push_back(std::move(value));
  }
  to.relations.insert(to.relations.end(), from.relations.begin(), from.relations.end());
}

}  // namespace

bool inline_taken_branch(Graph& graph, std::size_t at, const ValueSet& substituted) {
  Node& node = *graph.nodes[at];
  Graph* const branch = taken_branch(node);
  if (!branch || depends_on(node.inputs[0], substituted)) return false;
  move_values(*branch, graph);
  GraphEditor editor(graph);
  editor.before(node);
  for (auto& inner : std::exchange(branch->nodes, {})) editor.adopt(std::move(inner));
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i]) editor.emit_as(node.outputs[i], "Identity", {branch->outputs[i]});
  // The nodes before it keep their positions, also what made the condition.
  node.inputs.clear();
  editor.erase(node);
  return true;
}

void fold_constant_if(Graph& graph, PassContext&) {
  for (std::size_t i = 0; i < graph.nodes.size();)
    if (!inline_taken_branch(graph, i, {})) ++i;
}

}  // namespace onnxc::passes
