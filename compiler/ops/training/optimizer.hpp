// The training optimisers: scalars R and T, then groups of tensors, one entry per optimised tensor.
#pragma once

#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// `groups` input groups (X, G and the states); the outputs are all of them but G.
void infer_optimizer(Infer& n, std::size_t groups);

// The number of optimised tensors.
std::size_t optimized_count(const NodeView& n, std::size_t groups);
// The call of `kernel` for one of the tensors. The caller adds the attributes, then the buffers by
// add_tensors.
Call optimizer_call(Lower& n, const char* kernel, std::size_t tensor);
void add_tensors(Call& call, const Lower& n, std::size_t groups, std::size_t tensor);

}  // namespace onnxc::ops
