// Pictures of a model's graph.
#pragma once

#include <string>

#include "compiler/ir/graph.hpp"

namespace onnxc {

// For the programs of Graphviz.
std::string graph_as_dot(const Graph& graph);

// A picture that needs nothing else: nodes in rows, each below what it reads.
std::string graph_as_svg(const Graph& graph);

}  // namespace onnxc
