// Shared by ScatterElements and ScatterND.
#pragma once

#include "compiler/ops/gradient.hpp"

namespace onnxc::ops {

// The attribute `reduction` as an enumerator of the kernels.
std::string scatter_op(const NodeView& n);

// `gather` is the operator that reads the elements that updates go to.
void gradient_of_scatter(Gradient& n, const char* gather);

}  // namespace onnxc::ops
