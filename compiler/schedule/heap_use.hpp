// --no-heap: a program whose memory has a bound.
#pragma once

#include "compiler/ir/program.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {

// Reports an error that names the sizes without a bound if the program, whose memory is planned,
// needs a heap.
void refuse_heap(const Program& program, Diagnostics& diagnostics);

}  // namespace onnxc
