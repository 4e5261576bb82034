// Invariants of a graph, checked after every pass in tests and debug runs.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace onnxc {

// What is wrong, one line each; empty when the graph is sound: every value that is used belongs to
// the graph or one around it and is made before it is used, producers and outputs point at each
// other, uses are exactly those of readers, names are unique, constants fit their types; a part of
// a wider tensor (Value::whole) lies inside it, and who writes and reads it can do so with strides.
// `typed`: every value that a node makes has a type.
std::vector<std::string> verify(const Graph& graph, bool typed);

}  // namespace onnxc
