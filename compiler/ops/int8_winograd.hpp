// Convolutions of 8-bit integers by Winograd's algorithm.
#pragma once

#include "compiler/ops/int8_weights.hpp"

namespace onnxc::ops {

// Calls the Winograd kernel for this convolution if the target is faster with it; false if not.
bool lower_int8_winograd(Lower& n, const Convolution& c, const Int8Weights& w,
                         const ZeroPoint& zero);

}  // namespace onnxc::ops
