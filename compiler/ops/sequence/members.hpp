// Sequences and optionals in derivatives: the derivative by a sequence is a sequence of the
// derivatives by its members.
#pragma once

#include <functional>

#include "compiler/ops/node_builder.hpp"

namespace onnxc::ops {

// The sequence of f(members at one position), as a SequenceMap. All sequences have one length.
Term map_members(NodeBuilder& b, const std::vector<Value*>& sequences,
                 const std::function<Term(NodeBuilder&, const std::vector<Value*>&)>& f);

// For containers: the value `v` in every element of every member; the sum member by member.
Term filled_members(NodeBuilder& b, double v, Value* like);
Term sum_of_members(Term x, Term y);

}  // namespace onnxc::ops
