// Scales and zero points of quantised data: per tensor, along an axis, or in blocks of an axis.
#pragma once

#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// Checks input 1 (scale) and 2 (zero point) against input 0.
void check_scale(const NodeView& n);
// Dimensions and strides of data and scale; see quantize_linear in
// templates/quantization/quantize.hpp.
struct ScaleStrides {
  Dim outer = 1, count = 1, inner = 1, block = 1;
  Dim scale_outer = 0, scale_axis = 0, scale_inner = 0;
};
ScaleStrides scale_strides(const NodeView& n);
// The same as members of a kernel's shape struct.
void add_scale(Call& call, const Lower& n);

// The stride of a vector: 0 if it has one element, 1 if it has `extent`; anything else is an error.
Dim vector_stride(const NodeView& n, std::size_t input, const std::string& name, const Dim& extent);

}  // namespace onnxc::ops
