// Placing the buffers of a program in one arena.
#pragma once

#include "compiler/ir/program.hpp"

namespace onnxc {

// Bytes above which a buffer of bounded size is none of the arena's.
inline constexpr std::int64_t kLargestBound = std::int64_t{1} << 30;

// Sets Buffer::offset for every arena buffer that is not a view, Program::arena_bytes and
// Program::lower_bound. Buffers whose lifetimes do not overlap share memory; an output takes over
// the place of an input that dies in the same step where the step allows it. Throws OverflowError.
void plan_memory(Program& program);

}  // namespace onnxc
