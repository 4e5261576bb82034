// fold_constant_if: puts the nodes of the branch that runs in the place of an If whose condition is
// known.
// Needs: types and constants. Gives: no If with a constant condition; the branches that never run,
// which nobody has checked, are gone. Never touches: other nodes.
#include "compiler/passes/infer/fold_constant_if.hpp"

#include "compiler/ir/op.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

using Nodes = std::vector<std::unique_ptr<Node>>;

bool gives_outputs_of(const Node& node, const Graph& branch) {
  return branch.inputs.empty() && branch.outputs.size() == node.outputs.size();
}

// Null where only the run tells, for any other operator, and for an If that its inference refuses.
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

std::unique_ptr<Node> identity(const Node& like, Value* from, Value* to) {
  auto node = std::make_unique<Node>();
  node->op = ops::find("", "Identity");
  node->op_type = node->op->name;
  node->name = like.name;
  node->index = like.index;
  node->version = like.version;
  node->sources = like.sources;
  node->inputs = {from};
  node->outputs = {to};
  to->producer = node.get();
  return node;
}

}  // namespace

bool inline_taken_branch(Graph& graph, std::size_t at) {
  Graph* const branch = taken_branch(*graph.nodes[at]);
  if (!branch) return false;
  const std::unique_ptr<Node> node = std::move(graph.nodes[at]);
  move_values(*branch, graph);
  Nodes nodes = std::move(branch->nodes);
  for (auto& inner : nodes) each_subgraph(*inner, [&](Graph& body) { body.parent = &graph; });
  for (std::size_t i = 0; i < node->outputs.size(); ++i)
    if (node->outputs[i]) nodes.push_back(identity(*node, branch->outputs[i], node->outputs[i]));
  const auto place = graph.nodes.erase(graph.nodes.begin() + static_cast<std::ptrdiff_t>(at));
  graph.nodes.insert(place, std::make_move_iterator(nodes.begin()),
                     std::make_move_iterator(nodes.end()));
  return true;
}

void fold_constant_if(Graph& graph, PassContext&) {
  for (std::size_t i = 0; i < graph.nodes.size();)
    if (!inline_taken_branch(graph, i)) ++i;
}

}  // namespace onnxc::passes
