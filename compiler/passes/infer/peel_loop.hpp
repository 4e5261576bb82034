// Peels the first iteration of a Loop whose state changes its rank in it.
#pragma once

#include <functional>

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

// For a Loop whose state has another rank after the first iteration than before, and keeps it from
// then on: moves the first iteration before the Loop, and both into an If that tests whether there
// is one. Returns true if the node at `at` in `graph.nodes` was replaced; other nodes are
// unchanged.
// infer: infers a graph, false on errors, which it does not report.
bool peel_loop(Graph& graph, std::size_t at, const std::function<bool(Graph&)>& infer);

}  // namespace onnxc::passes
