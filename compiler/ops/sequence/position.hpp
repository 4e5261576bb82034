// Positions in sequences, for gradients.
#pragma once

#include "compiler/ops/gradient.hpp"

namespace onnxc::ops {

// Operand i, a position in the sequence that is operand 0, counted from the front as int64; left
// out, it is the length of the sequence plus `otherwise`.
Term position_of(const Gradient& n, std::size_t i, std::int64_t otherwise);

}  // namespace onnxc::ops
