// Contents of small integer tensors as expressions of extents.
//
// An expression is the exact value; the tensor holds that value wrapped to its type. Contents are
// known only where both agree: where sums and products may leave the type, as in N + 2^31 for
// int32, the entry is unknown and computed at run time.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ops/infer.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc::ops {

using SomeContents = std::vector<std::optional<Dim>>;

// int32 and int64; the arithmetic of other integers is done at run time.
bool has_contents(ElemType elem);

// f's result, nullopt where it does not fit 64 bits.
template <class F>
std::optional<Dim> unless_overflow(F f) {
  try {
    return f();
  } catch (const OverflowError&) {
    return std::nullopt;
  }
}

// The value that a tensor of that type holds for `value`: a constant wraps. Nullopt if the
// expression may leave the type for extents up to a few thousand (int64) or a few dozen (int32).
std::optional<Dim> stored_value(const Dim& value, ElemType elem);

// Carries known integer contents through an element-wise function of one or two operands.
void propagate_contents(Infer& n, Dim (*f)(const Dim&));
void propagate_contents(Infer& n, Dim (*f)(const Dim&, const Dim&));

}  // namespace onnxc::ops
