// Removes an If that is decided at compile time.
#pragma once

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

// Puts the nodes of the branch that runs in the place of the If at `at` in `graph.nodes`. False,
// and nothing changed, if it is no If or its condition is not known.
bool inline_taken_branch(Graph& graph, std::size_t at);

}  // namespace onnxc::passes
