// drop_references: what a function template of the user computes has the types of the model-local
// function of the same operator, which is not computed. Requires: types. Produces: UserOperator
// nodes that read only their own operands.
#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {

void drop_references(Graph& graph, PassContext&) {
  static const ops::Op* const kUserOperator = &ops::get("UserOperator", "onnxc");
  for (const auto& node : graph.nodes) {
    if (node->op != kUserOperator) continue;
    const auto references =
        static_cast<std::size_t>(ops::NodeView(*node).attr_int("onnxc.references"));
    node->inputs.resize(node->inputs.size() - references);
    node->attributes.erase("onnxc.references");
    // Types that are inferred again come from here.
    for (Value* v : node->outputs)
      if (v) v->declared = std::make_shared<const Type>(v->type);
  }
}

}  // namespace onnxc::passes
