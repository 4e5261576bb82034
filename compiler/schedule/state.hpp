// The state block of a training model: where its variables lie, and how it gets its first contents.
#pragma once

#include "compiler/ir/program.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {

// Gives every variable its place behind the header, larger element types first, so that each is
// aligned for its type without gaps. Reports variables that plain memory cannot hold.
void lay_out_state(State& state, Diagnostics& diagnostics);

// The program that stores the initial values.
Program reset_program(const State& state, int alignment);

// A buffer of the variable in a program.
Buffer state_buffer(const State& state, int variable);

}  // namespace onnxc
