// The training optimisers: scalars R and T, then groups of tensors, one entry per optimised tensor.
#pragma once

#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// `groups` input groups (X, G and the states); the outputs are all of them but G.
void infer_optimizer(Infer& n, std::size_t groups);

// Calls a kernel for each tensor: `start` makes the call for `count` elements, this adds buffers.
void lower_optimizer(Lower& n, std::size_t groups,
                     const std::function<Call(const Dim& count)>& start);

}  // namespace onnxc::ops
