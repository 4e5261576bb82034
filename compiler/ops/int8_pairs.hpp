// Convolutions of 8-bit integers on targets that sum products of 16-bit integers in pairs, and none
// of bytes.
#pragma once

#include "compiler/ops/int8_weights.hpp"

namespace onnxc::ops {

// Whether the target is such, and there is memory for wide weights.
bool widens_bytes(const Lower& n);

// Calls a kernel for this convolution, not depthwise, if the target is such and it pays; false if
// not.
bool lower_int8_pairs(Lower& n, const Convolution& c, const Int8Weights& w, const ZeroPoint& zero,
                      const Int8Result& result);

}  // namespace onnxc::ops
