// What the bodies of a node read from the graphs around it.
#pragma once

#include <vector>

#include "compiler/ir/graph.hpp"

namespace onnxc {

// The values of outer graphs that the node's bodies read, each once, in the order of their reading.
std::vector<Value*> captured_values(const Node& node);
std::vector<Value*> captured_values(const Graph& body);

}  // namespace onnxc
