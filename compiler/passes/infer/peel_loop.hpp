// Gives the state of a Loop one rank.
#pragma once

#include <functional>

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

// A Loop whose state has another rank after the first trip than before, and keeps it from then on:
// puts the first trip before the Loop, both into an If that asks whether there is one. True when
// other nodes came to the place `at` of `graph.nodes`; nothing changes for any other node.
// infer: infers a graph, false when it found errors, which it does not report.
bool peel_loop(Graph& graph, std::size_t at, const std::function<bool(Graph&)>& infer);

}  // namespace onnxc::passes
