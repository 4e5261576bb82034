// Resolves an If whose branches return tensors of different ranks.
#pragma once

#include <functional>

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

// For an If whose branches return tensors of different ranks; `at` is its position in
// `graph.nodes`. If inference of the dependent nodes succeeds for both ranks, they move into both
// branches, and the If moves after the other nodes. Returns true if another node is now at this
// position. If it succeeds for one branch only, the result gets its rank, and taking the other
// branch is an error at run time. Nothing changes for any other node, or if the copies would grow
// beyond a limit.
// infer: infers a graph, false on errors, which it does not report.
bool resolve_branch_ranks(Graph& graph, std::size_t at, const std::function<bool(Graph&)>& infer);

}  // namespace onnxc::passes
