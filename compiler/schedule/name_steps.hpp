// Short unique names for steps and buffers.
#pragma once

#include "compiler/ir/program.hpp"

namespace onnxc {

// Names every step, and the buffers that it writes, by the shortest suffix of its node's path that
// is unique: "/encoder/layer.0/attention/MatMul" becomes "layer.0/attention/MatMul" if other layers
// have an attention/MatMul. Buffers of values are named after the values. A value whose name is a
// number gets the name of the step that writes it.
void name_steps(Program& program);

}  // namespace onnxc
