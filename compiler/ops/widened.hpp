// Operators that compute in single precision inside, whatever narrower type they read and write.
#pragma once

#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops {

// x, as float32 where it is of a narrower real type; null stays null.
Value* widened(Upgrade& n, Value* x);
// Output 0 of the node, which is wide, in the type of `like` from here on.
void narrow_output(Upgrade& n, Value* like);

}  // namespace onnxc::ops
