// The check of --no-heap: all memory of the program must have a bound.
#pragma once

#include "compiler/ir/program.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {

// Reports an error with the names of the unbounded dimensions if the program, whose memory is
// planned, needs a heap.
void refuse_heap(const Program& program, Diagnostics& diagnostics);

}  // namespace onnxc
