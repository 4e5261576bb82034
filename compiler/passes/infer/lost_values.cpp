// Finds the nodes that read values without a producer.
#include "compiler/passes/infer/infer.hpp"

#include <algorithm>

namespace onnxc::passes {
namespace {

bool is_lost(const Value* v) {
  return v && !v->producer && !v->constant && v->type.kind == Type::Kind::unknown;
}

}  // namespace

void remove_dependents_of_lost_values(Graph& graph) {
  std::erase_if(graph.nodes, [](const std::unique_ptr<Node>& node) {
    if (std::none_of(node->inputs.begin(), node->inputs.end(), is_lost)) return false;
    for (Value* v : node->outputs)
      if (v) v->producer = nullptr;
    return true;
  });
}

}  // namespace onnxc::passes
