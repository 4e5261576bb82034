// Shared by ScatterElements and ScatterND.
#pragma once

#include "compiler/ops/node_view.hpp"

namespace onnxc::ops {

// The attribute `reduction` as an enumerator of the kernels.
std::string scatter_op(const NodeView& n);

}  // namespace onnxc::ops
