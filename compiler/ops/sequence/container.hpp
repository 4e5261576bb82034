// Types of sequences and optionals, and common types of two values.
#pragma once

#include <set>
#include <string>

#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// A type that values of both types have. Dimensions in which they differ become new symbols;
// different ranks give an unknown rank.
Type join(Infer& n, const Type& a, const Type& b, const std::string& field);

// Input 0, of an operator on sequences, has to be one.
void require_sequence(const NodeView& n);

// The type of a member taken out of a container: its dynamic dimensions are new symbols.
Type member_type(Infer& n, const Type& container);

// Copies to a value whose type is `join` of the source's and another one: sets the symbols of its
// shape, allocates it, and checks constant dimensions.
void copy_joined(Lower& n, BufferId from, BufferId to);

// Appends a tensor or an object to a sequence.
void append(Lower& n, BufferId member, BufferId sequence);

}  // namespace onnxc::ops
