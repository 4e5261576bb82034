// The part of a graph that computes some values from others.
#pragma once

#include <unordered_set>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

using ValueSet = std::unordered_set<const Value*>;

// What a node reads: its inputs, and what its bodies read from outside. Without null.
std::vector<Value*> operands_of(const Node& node);

// The nodes that `results` are computed by, operands first. Does not go past the values in `cuts`;
// goes on in the graphs around the one of `results`.
std::vector<Node*> slice_of(const std::vector<Value*>& results, const ValueSet& cuts);

// The tensors in whose place a Gradient of the graph or of a body in it puts others: what depends
// on them is computed again.
ValueSet substituted_values(const Graph& graph);

}  // namespace onnxc::passes
