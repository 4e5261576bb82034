// Types of sequences and optionals, and types that two ways of making a value have in common.
#pragma once

#include <set>
#include <string>

#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// A type that holds for values of both types. Extents in which they differ become unknown, with the
// same symbol in `fresh` for every place they are taken from; different ranks leave none.
Type join(Infer& n, const Type& a, const Type& b, const std::string& field);

// The type of a member taken out of a container: extents that are not numbers are its own.
Type member_type(Infer& n, const Type& container);

// Copies to a value whose type is `join` of the source's and another one: sets the symbols of its
// shape and takes memory for it first, checks what is a number.
void copy_joined(Lower& n, BufferId from, BufferId to);

// Puts a tensor, or a value without a fixed shape, at the end of a sequence.
void append(Lower& n, BufferId member, BufferId sequence);

}  // namespace onnxc::ops
