// Dividing kernel calls among threads.
#pragma once

#include "compiler/ir/program.hpp"
#include "compiler/support/target.hpp"

namespace onnxc {

// Sets Step::parts of the parallel calls that are worth dividing, and gives every thread its own
// per_thread scratch in them. With one thread nothing changes. Runs before the memory plan.
void plan_threads(Program& program, int threads, const Target& target);

// Whether a call of the program is divided.
bool has_chunks(const Program& program);

}  // namespace onnxc
