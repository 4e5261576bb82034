// Replaces an If with a constant condition by the branch that it takes.
#include "compiler/passes/infer/inline_taken_branch.hpp"

#include "compiler/ir/editor.hpp"
#include "compiler/ir/op.hpp"

namespace onnxc::passes {
namespace {

using Nodes = std::vector<std::unique_ptr<Node>>;

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

bool inline_taken_branch(Graph& graph, std::size_t at) {
  Graph* const branch = taken_branch(*graph.nodes[at]);
  if (!branch) return false;
  const std::unique_ptr<Node> node = std::move(graph.nodes[at]);
  move_values(*branch, graph);
  Nodes nodes = std::move(branch->nodes);
  for (std::size_t i = 0; i < node->outputs.size(); ++i)
    if (node->outputs[i])
      nodes.push_back(
          node_like(*node, ops::get("Identity"), {branch->outputs[i]}, {node->outputs[i]}));
  for (auto& inner : nodes) {
    inner->graph = &graph;
    each_subgraph(*inner, [&](Graph& body) { body.parent = &graph; });
  }
  const auto place = graph.nodes.erase(graph.nodes.begin() + static_cast<std::ptrdiff_t>(at));
  graph.nodes.insert(place, std::make_move_iterator(nodes.begin()),
                     std::make_move_iterator(nodes.end()));
  return true;
}

}  // namespace onnxc::passes
