// Depth-first search from results to what they are computed from.
#include "compiler/passes/autodiff/autodiff.hpp"

#include "compiler/ir/graph.hpp"
#include "compiler/ir/op.hpp"

namespace onnxc::passes {
namespace {

struct Visit {
  Node* node;
  std::vector<Value*> operands;
  std::size_t next = 0;
};

}  // namespace

// With a stack of our own: chains may be of any length.
std::vector<Node*> slice_of(const std::vector<Value*>& results, const ValueSet& cuts) {
  std::vector<Node*> order;
  std::unordered_set<const Node*> seen;
  std::vector<Visit> stack;
  const auto enter = [&](const Value* v) {
    if (cuts.count(v) == 0 && v->producer && seen.insert(v->producer).second)
      stack.push_back({v->producer, operands_of(*v->producer)});
  };
  for (const Value* v : results) {
    enter(v);
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (top.next < top.operands.size()) {
        enter(top.operands[top.next++]);
      } else {
        order.push_back(top.node);
        stack.pop_back();
      }
    }
  }
  return order;
}

ValueSet substituted_values(const Graph& graph) {
  ValueSet found;
  for (const auto& node : graph.nodes) {
    each_subgraph(*node, [&](Graph& body) { found.merge(substituted_values(body)); });
    if (node->op->named_values.empty()) continue;
    const std::size_t named = node->inputs.size() / 2;
    for (std::size_t i = 0; i < named; ++i)
      if (node->inputs[i] != node->inputs[named + i]) found.insert(node->inputs[named + i]);
  }
  return found;
}

bool depends_on(Value* v, const ValueSet& others) {
  if (others.empty()) return false;
  if (others.count(v) > 0) return true;
  for (const Node* source : slice_of({v}, {}))
    for (const Value* operand : operands_of(*source))
      if (others.count(operand) > 0) return true;
  return false;
}

}  // namespace onnxc::passes
