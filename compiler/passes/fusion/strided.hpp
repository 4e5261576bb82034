// Values as views of earlier ones: the result of a Transpose, Reshape, Split or similar operator is
// often the same memory with other strides.
#pragma once

#include <optional>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/view.hpp"

namespace onnxc::passes {

// The identity view of a value.
ValueView view_of_itself(Value* v);

// The earliest value that this one, a tensor of known rank, is a strided view of.
ValueView view_of_earliest(Value* v);

// The same after a reshape that splits axes of the value. This succeeds even if strides express
// only the split shape, as after a Reshape that merged the axes.
std::optional<ValueView> view_of_earliest_as(Value* v, const Shape& dims);

std::optional<ValueView> reshape(const ValueView& x, const Shape& dims);

}  // namespace onnxc::passes
