// Removes nodes without effect, and nodes and values without readers.
#include "compiler/passes/pass.hpp"

#include <algorithm>
#include <unordered_set>

#include "compiler/ir/editor.hpp"
#include "compiler/ir/op.hpp"

namespace onnxc::passes {
namespace {

// Graph outputs keep their own value: two may have the same source, and each is the caller's
// memory.
void read_past(const Node& node) {
  const std::vector<Use> uses = node.outputs[0]->users();
  for (const Use& use : uses)
    if (use.node) use.node->inputs.set(use.index, node.inputs[0]);
}

bool is_dead(const Node& node) {
  if (node.op && node.op->effect) return false;
  return std::all_of(node.outputs.begin(), node.outputs.end(),
                     [](const Value* v) { return !v || v->constant || v->users().empty(); });
}

// Values that nothing makes and nothing reads: constants, and results of erased nodes.
void drop_unused_values(Graph& graph) {
  std::unordered_set<const Value*> kept(graph.inputs.begin(), graph.inputs.end());
  for (const auto& v : graph.values)
    if (v->view_of) kept.insert(v->view_of);
  std::erase_if(graph.values, [&](const auto& v) {
    return !v->producer && v->users().empty() && kept.count(v.get()) == 0;
  });
}

}  // namespace

void clean_up(Graph& graph) {
  for (auto& node : graph.nodes) {
    const bool forwards = node->op && node->op->forwards && node->op->forwards(*node);
    if (forwards && node->outputs[0]) read_past(*node);
    each_subgraph(*node, clean_up);
  }
  GraphEditor editor(graph);
  // Readers come before the nodes that they read.
  for (std::size_t i = graph.nodes.size(); i-- > 0;)
    if (is_dead(*graph.nodes[i])) editor.erase(*graph.nodes[i]);
  editor.commit();
  drop_unused_values(graph);
}

}  // namespace onnxc::passes
