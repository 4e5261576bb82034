// Copies of nodes and graphs.
#pragma once

#include <map>
#include <memory>

#include "compiler/ir/graph.hpp"

namespace onnxc {

// Maps a value to its copy. A value without an entry stands for itself.
using ValueMap = std::map<const Value*, Value*>;

// A value of `to` with the name, and with all else that `from` says but its producer.
Value* copy_value(const Value& from, Graph& to, const std::string& name);

Value* mapped(const ValueMap& map, Value* v);

// Appends a copy of the node, bodies included. Results without an entry in `copies` become new
// values of `to`.
void copy_node(const Node& from, Graph& to, ValueMap& copies);

// Values of graphs around `from` are unchanged, unless `copies` maps them.
std::shared_ptr<Graph> copy_graph(const Graph& from, Graph& parent, ValueMap copies);

// Copies a graph into an empty one, names included; `copies` gets the new values.
void copy_into(const Graph& from, Graph& to, ValueMap& copies);

// An independent model that is equal in everything, also in what was inferred.
std::unique_ptr<Model> copy_model(const Model& from);

// Copies the nodes of `from`, and the constants it holds, into `to`. `copies` must map its inputs.
void copy_contents(const Graph& from, Graph& to, ValueMap& copies);

}  // namespace onnxc
