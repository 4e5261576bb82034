// Removal of steps whose results nothing reads.
#pragma once

#include "compiler/ir/program.hpp"

namespace onnxc {

// Lowering knows the sizes of a Reshape or Expand and does not read them from memory, so that what
// computes them has no readers. Steps that may fail or that report sizes stay.
void remove_dead_steps(Program& program);

}  // namespace onnxc
