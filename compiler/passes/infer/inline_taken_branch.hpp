// Replaces an If with a constant condition by the branch that it takes.
#pragma once

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

// Replaces the If at `at` in `graph.nodes` by the nodes of the taken branch. Returns false, and
// changes nothing, if the node is not an If or its condition is not constant.
bool inline_taken_branch(Graph& graph, std::size_t at);

}  // namespace onnxc::passes
