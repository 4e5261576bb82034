// Placing the buffers of a program in one arena.
#pragma once

#include "compiler/ir/program.hpp"

namespace onnxc {

// Sets Buffer::offset for every arena buffer that is not a view, Program::arena_bytes and
// Program::lower_bound. Buffers whose lifetimes do not overlap share memory; an output takes the
// memory of an input that dies in the same step if the step allows it. Throws OverflowError.
void plan_memory(Program& program);

}  // namespace onnxc
