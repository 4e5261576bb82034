// Layouts of values, and what a node's operator allows for those of its inputs and its output.
#pragma once

#include "compiler/ir/op.hpp"

namespace onnxc::ops {

// The operator's own rule; without one, element-wise nodes take any strides and write densely, and
// all others know plain data only.
LayoutRule layout_rule(const Node& node);

// Where the elements of a tensor lie in the memory that it has, or that it is a view of. Logical
// axes.
View storage_view(const Value& v);

// Whether every input of the node that is `v` may be a part of a wider tensor (Value::view_of).
bool reads_parts(const Node& node, const Value& v);

// Whether the node's output may be a part of a wider tensor.
bool writes_part(const Node& node);

}  // namespace onnxc::ops
