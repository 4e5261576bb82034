// Values as parts of earlier ones: what Transpose, Reshape, Split and their like take from a tensor
// is often the same memory walked in other steps.
#pragma once

#include <optional>

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

// Element [i, j, ...] is element offset + i * steps[0] + j * steps[1] ... of `base`, in its
// row-major order.
struct Strided {
  Value* base = nullptr;
  Shape dims, steps;
  Dim offset = 0;
};

// The value in its own order.
Strided contiguous(Value* v);

// The earliest value that this one, a tensor of known rank, is a part of in plain steps.
Strided strided(Value* v);

// The same under a shape that splits axes of the value's own, also where only that shape is a
// matter of steps: of a Reshape that joined them before.
std::optional<Strided> strided_as(Value* v, const Shape& dims);

// The elements in row-major order under another shape; nullopt if that is not a matter of steps.
std::optional<Strided> reshaped(const Strided& x, const Shape& dims);

}  // namespace onnxc::passes
