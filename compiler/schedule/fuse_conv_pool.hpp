// Makes one step of a convolution and the MaxPool after it, and of the change of layout before it.
#pragma once

#include "compiler/ir/program.hpp"

namespace onnxc {

// Where the result of the convolution would leave the second-level cache and nobody else reads it
// (docs/decisions/0013). The values stay the same bit for bit.
void fuse_conv_pool(Program& program);

}  // namespace onnxc
