// Fuses a convolution with the MaxPool after it, and the layout conversion before it.
#pragma once

#include "compiler/ir/program.hpp"

namespace onnxc {

// Applies where the result of the convolution would leave the second-level cache and has no other
// reader (docs/decisions/0013). The values stay the same bit for bit.
void fuse_conv_pool(Program& program);

}  // namespace onnxc
