// Values as views of earlier ones: what Transpose, Reshape, Split and their like take from a tensor
// is often the same memory walked with other strides.
#pragma once

#include <optional>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/view.hpp"

namespace onnxc::passes {

// The value in its own order.
ValueView view_of_itself(Value* v);

// The earliest value that this one, a tensor of known rank, is a strided view of.
ValueView view_of_earliest(Value* v);

// The same under a shape that splits axes of the value's own, also where only that shape can be
// expressed by strides: of a Reshape that merged them before.
std::optional<ValueView> view_of_earliest_as(Value* v, const Shape& dims);

std::optional<ValueView> reshape(const ValueView& x, const Shape& dims);

}  // namespace onnxc::passes
