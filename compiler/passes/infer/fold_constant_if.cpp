// fold_constant_if: replaces an If with a constant condition by the nodes of the taken branch.
// Needs: types and constants. Gives: no If with a constant condition; the branches that never run,
// which are unchecked, are removed. Never touches: other nodes.
#include "compiler/passes/infer/infer.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {

void fold_constant_if(Graph& graph, PassContext&) {
  for (std::size_t i = 0; i < graph.nodes.size();)
    if (!inline_taken_branch(graph, i, {})) ++i;
}

}  // namespace onnxc::passes
