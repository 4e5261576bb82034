// Joining depthwise convolutions with the pointwise ones around them.
#pragma once

#include "compiler/ir/program.hpp"

namespace onnxc {

// Makes one step of a depthwise convolution and the pointwise convolution before it, the one after
// it, or both, where what lies between them is too large for a second-level cache and read by
// nobody else. Needs: lowered steps, no offsets. Gives: steps of depthwise_block_nhwc.hpp, smaller
// buffers.
void fuse_depthwise(Program& program);

}  // namespace onnxc
