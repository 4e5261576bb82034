// Scales and zero points of quantised data: per tensor, along an axis, or in blocks of an axis.
#pragma once

#include "compiler/kernels/quantization_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// Checks input 1 (scale) and 2 (zero point) against input 0.
void check_scale(const NodeView& n);
ScaleStrides<Dim> scale_strides(const NodeView& n);

// The stride of a vector: 0 if it has one element, 1 if it has `extent`; anything else is an error.
Dim vector_stride(const NodeView& n, std::size_t input, const std::string& name, const Dim& extent);

}  // namespace onnxc::ops
