// Graph -> Program: one or more kernel calls per node, in the graph's order.
#pragma once

#include "compiler/ir/program.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/target.hpp"

namespace onnxc {

// Reports what cannot be lowered (symbolic extents, operators without kernels) and goes on, so that
// one run lists everything.
Program lower_graph(const Graph& graph, const Target& target, Diagnostics& diagnostics);

}  // namespace onnxc
