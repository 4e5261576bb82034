// Lowering of the normalisations over mean and variance to normalize_nd.
#pragma once

#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "templates/normalization/normalization_calls.hpp"

namespace onnxc::ops {

// The attribute axis: LayerNormalization and its like normalise over the axes from it on.
std::size_t first_axis(const NodeView& n);
std::vector<bool> axes_from(std::size_t first, std::size_t rank);

// Splits a plain tensor's axes: those with inner[axis] are normalised over.
NormalizeNdShape<Dim> split_axes(const Shape& x, const std::vector<bool>& inner);
// Strides of an operand that broadcasts to x, along x's axes, split like them.
void add_operand(const Shape& operand, const Shape& x, const std::vector<bool>& inner,
                 Shape& outer_strides, Shape& inner_strides);

// Whether an operand has exactly the axes of x from `first` on.
bool covers_axes(const Shape& operand, const Shape& x, std::size_t first);

Call normalize(Lower& n, const NormalizeNdShape<Dim>& z);  // arguments are still to be added

// Checks that an operand broadcasts to x without changing its shape.
void require_broadcast(const NodeView& n, std::size_t input, const std::string& name,
                       const Shape& x);

}  // namespace onnxc::ops
