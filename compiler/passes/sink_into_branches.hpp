// Gives the readers of an If one rank to work with.
#pragma once

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

// An If whose branches give tensors of different ranks, each rank known: moves every node that
// depends on it into both branches, the If behind what is left. `at` is its place in `graph.nodes`.
// False, and nothing changed, if it is no such If, nobody in the graph reads it, or the copies
// would grow beyond reason.
bool sink_into_branches(Graph& graph, std::size_t at);

}  // namespace onnxc::passes
