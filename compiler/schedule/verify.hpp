// Invariants of a Program, checked after every step of the schedule.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/program.hpp"

namespace onnxc {

// The violations, one line each; empty for a valid program. Blocks are closed; operands exist, and
// views lie inside their buffers; sizes are known where a step uses them; what is read was written.
// `placed`, after the memory plan: buffers of the arena have a place inside it, those in use at
// the same time do not overlap, and heap memory is allocated before it is used and released once.
std::vector<std::string> verify(const Program& program, bool placed);

}  // namespace onnxc
