// Names for steps and buffers that tell them apart.
#pragma once

#include "compiler/ir/program.hpp"

namespace onnxc {

// Gives every step and the buffers it made the last parts of its node's path, as many as no other
// node has: "/encoder/layer.0/attention/MatMul" is "layer.0/attention/MatMul" where other layers
// have an attention/MatMul. Buffers of values get theirs from the values' names. A value whose name
// is a number takes the name of the step that writes it.
void name_steps(Program& program);

}  // namespace onnxc
