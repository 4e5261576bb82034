// Parts of values as nodes of a graph.
#pragma once

#include "compiler/devices/placement.hpp"
#include "compiler/ir/editor.hpp"

namespace onnxc::devices {

// The region `want` of a value that holds `have`, a part or all of a value of this shape. Emits
// Slice and Concat nodes.
Value* section(GraphEditor& editor, Value* value, const Region& have, const Region& want,
               const Shape& shape);

// One axis of a value that holds all of it.
Value* join(GraphEditor& editor, const std::vector<Value*>& pieces, std::size_t axis);

}  // namespace onnxc::devices
