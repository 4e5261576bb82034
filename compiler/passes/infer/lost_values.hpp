// What is left of a graph that could be read only in part.
#pragma once

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

// Removes the nodes behind one that import could not read, which would only repeat its problem.
void remove_dependents_of_lost_values(Graph& graph);

}  // namespace onnxc::passes
