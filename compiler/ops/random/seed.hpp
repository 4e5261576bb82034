// Random streams of the operators that draw random numbers.
#pragma once

#include "compiler/ops/node_view.hpp"

namespace onnxc::ops {

// The stream of a node without a seed: a hash of the name of its first output, in 31 bits, which
// every Index holds.
std::int64_t stream_of_name(const NodeView& n);

}  // namespace onnxc::ops
