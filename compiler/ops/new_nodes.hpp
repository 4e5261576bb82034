// Nodes of ai.onnx and constants at the end of a graph, before types and shapes are inferred.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace onnxc::ops {

// A node of the newest version of an operator; its result, a tensor whose shape is yet to be
// inferred.
Value* add_node(Graph& graph, const char* op, const std::vector<Value*>& inputs, ElemType elem,
                const std::string& name, Attributes attributes = {});

// A constant list.
Value* add_ints(Graph& graph, const std::vector<std::int64_t>& list, const std::string& name);

}  // namespace onnxc::ops
