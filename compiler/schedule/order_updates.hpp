// The order of nodes in a training step.
#pragma once

#include "compiler/ir/graph.hpp"

namespace onnxc {

// Moves the nodes that only serve updates of state variables behind the others. Each update comes
// as soon as its operands are there and the old value has been read, the last layers first. So
// weight gradients live one at a time, and most variables can change in place.
void order_updates(TrainingEntry& entry);

}  // namespace onnxc
