// Invariants of a graph, checked after every pass in tests and debug runs.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace onnxc {

// The violations, one line each; empty for a valid graph. Every value that is used belongs to the
// graph or one around it and is made before it is used; producers and outputs point at each other;
// uses are exactly those of readers; names are unique; constants fit their types. A view of a wider
// tensor (Value::view_of) is inside it, and its producer and its readers support strides. `typed`:
// every result of a node has a type.
std::vector<std::string> verify(const Graph& graph, bool typed);

}  // namespace onnxc
