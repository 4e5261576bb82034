// The part of a model that one device computes, with the messages to and from the others.
#pragma once

#include "compiler/devices/plan.hpp"
#include "compiler/ir/editor.hpp"

namespace onnxc::devices {

// Adds the device's nodes to an empty graph. Inputs are whole; those that the device does not read
// are left out, and so are outputs that it does not hold whole. Sets the peers and the traffic of
// `device`.
void make_local_graph(const Graph& whole, const Plan& plan, OwnDevice& device, Graph& local);

// What distinguishes plans: devices whose programs agree on it understand each other.
std::uint64_t hash_of(const Plan& plan);

// Parts of values as nodes of a graph.

// The region `want` of a value that holds `have`, a part or all of a value of this shape. Emits
// Slice and Concat nodes.
Value* section(GraphEditor& editor, Value* value, const Region& have, const Region& want,
               const Shape& shape);

// One axis of a value that holds all of it.
Value* join(GraphEditor& editor, const std::vector<Value*>& pieces, std::size_t axis);

}  // namespace onnxc::devices
