// Casts around operators that compute in float32 and read and write any floating-point type. They
// are made while types are not known yet.
#pragma once

#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops {

// float16 and bfloat16 as float32, other types as they are; null stays null.
Value* to_float32(Upgrade& n, Value* x);
// Casts output 0 of the node to the element type of `like`.
void cast_output_like(Upgrade& n, Value* like);

}  // namespace onnxc::ops
