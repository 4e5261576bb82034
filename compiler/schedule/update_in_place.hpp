// Updates of state variables without a copy.
#pragma once

#include "compiler/ir/program.hpp"

namespace onnxc {

// A new value is computed in the variable's own memory where all reads of the old one come before,
// or where the step that computes it may work in place. The copy at the end goes away.
void update_in_place(Program& program);

}  // namespace onnxc
