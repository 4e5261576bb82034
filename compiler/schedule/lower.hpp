// Graph -> Program: one or more kernel calls per node, in the graph's order.
#pragma once

#include "compiler/ir/program.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/options.hpp"
#include "compiler/support/target.hpp"

namespace onnxc {

// Reports nodes that cannot be lowered (symbolic dimensions, operators without kernels) and
// continues, so that one run lists every error.
Program lower_graph(const Graph& graph, const CompileOptions& options, const Target& target,
                    Diagnostics& diagnostics);

// The same for a graph of a training model. State variables are buffers in the state block. With an
// entry, whose graph it is, the program ends by storing the results of its bindings; the variables
// keep their old values until then. Results that the bindings leave are optional outputs.
Program lower_graph(const Graph& graph, const CompileOptions& options, const Target& target,
                    Diagnostics& diagnostics, const State& state, const TrainingEntry* entry);

}  // namespace onnxc
