// Evaluating nodes at compile time.
#pragma once

#include "compiler/ir/editor.hpp"

namespace onnxc {

// Evaluates the node if its operator can be folded and all its inputs are constants: its outputs
// become constants too.
bool fold_node(Node& node);

namespace passes {

// The value, as a constant without a producer if it can be evaluated now.
Value* folded(GraphEditor& editor, Value* v);

}  // namespace passes
}  // namespace onnxc
