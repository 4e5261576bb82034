// Layouts of values, and the layouts that a node's operator allows for its inputs and its output.
#pragma once

#include "compiler/ir/op.hpp"

namespace onnxc::ops {

// The operator's own rule. Without one, element-wise nodes read any strides and write densely; all
// other operators support the plain layout only.
LayoutRule layout_rule(const Node& node);

// Strides of a tensor's elements in its own memory, or in that of the tensor that it is a view of.
// Logical axes.
View storage_view(const Value& v);

// Whether every input of the node that is `v` may be a view of a wider tensor (Value::view_of).
bool reads_parts(const Node& node, const Value& v);

// Whether the node's output may be a view of a wider tensor.
bool writes_part(const Node& node);

}  // namespace onnxc::ops
