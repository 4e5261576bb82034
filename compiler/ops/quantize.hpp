// How scales and zero points meet the data: per tensor, along an axis, or in blocks of an axis.
#pragma once

#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// Checks input 1 (scale) and 2 (zero point) against input 0.
void check_scale(const NodeView& n);
// Members outer, count, inner, block and the steps of scale and zero point.
void add_scale(Call& call, const Lower& n);

// 0 for one element, 1 for one an axis entry of extent `extent`; anything else is an error.
Dim vector_step(const NodeView& n, std::size_t input, const std::string& name, const Dim& extent);

}  // namespace onnxc::ops
