// Seeds of the operators that draw random numbers.
#pragma once

#include "compiler/ops/node_view.hpp"

namespace onnxc::ops {

// Tells apart the numbers of nodes without a seed: a hash of the name of the first output, in 31
// bits, which every Index holds.
std::int64_t stream_of_name(const NodeView& n);

}  // namespace onnxc::ops
