// Copies of nodes and graphs.
#pragma once

#include <map>
#include <memory>

#include "compiler/ir/graph.hpp"

namespace onnxc {

// What stands for a value in a copy. A value that is not in it stands for itself.
using ValueMap = std::map<const Value*, Value*>;

Value* mapped(const ValueMap& map, Value* v);

// Appends a copy of the node, bodies included. Results that `copies` does not know yet become new
// values of `to`.
void copy_node(const Node& from, Graph& to, ValueMap& copies);

// Values of graphs around `from` stay what they are, unless `copies` has others for them.
std::shared_ptr<Graph> copy_graph(const Graph& from, Graph& parent, ValueMap copies);

// Copies the nodes of `from`, and the constants it holds, into `to`. `copies` has to know its
// inputs.
void copy_contents(const Graph& from, Graph& to, ValueMap& copies);

}  // namespace onnxc
