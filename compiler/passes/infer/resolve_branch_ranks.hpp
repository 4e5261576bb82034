// Gives the readers of an If one rank to work with.
#pragma once

#include <functional>

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

// For an If whose branches give tensors of different ranks; `at` is its place in `graph.nodes`.
// Where what follows makes sense for both ranks, every node that depends on the If moves into both
// branches, the If behind what is left. True when another node came to this place. Where it makes
// sense for one branch only, its rank becomes the result's, and a run of the other branch is an
// error. Nothing changes for any other node, or if the copies would grow beyond reason.
// infer: infers a graph, false when it found errors, which it does not report.
bool resolve_branch_ranks(Graph& graph, std::size_t at, const std::function<bool(Graph&)>& infer);

}  // namespace onnxc::passes
