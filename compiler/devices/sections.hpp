// Parts of values as nodes of a graph.
#pragma once

#include "compiler/devices/placement.hpp"

namespace onnxc::devices {

// The region `want` of a value that holds `have`, a part or all of a value of this shape. Appends
// Slice and Concat nodes.
Value* section(Graph& graph, Value* value, const Region& have, const Region& want,
               const Shape& shape);

// One axis of a value that holds all of it.
Value* join(Graph& graph, const std::vector<Value*>& pieces, std::size_t axis);

// A constant list.
Value* int_list(Graph& graph, const std::vector<std::int64_t>& list, const std::string& name);

// A new node of ai.onnx; its result, which has this element type.
Value* add(Graph& graph, const char* op, const std::vector<Value*>& inputs, ElemType elem,
           const std::string& name, Attributes attributes = {});

}  // namespace onnxc::devices
