// Fuses depthwise convolutions with the pointwise ones around them.
#pragma once

#include "compiler/ir/program.hpp"

namespace onnxc {

// Fuses a depthwise convolution with the pointwise convolution before it, the one after it, or
// both, if the tensor between them is too large for a second-level cache and has no other reader.
// Needs: lowered steps, no offsets. Gives: steps of depthwise_block_nhwc.hpp, smaller buffers.
void fuse_depthwise(Program& program);

}  // namespace onnxc
