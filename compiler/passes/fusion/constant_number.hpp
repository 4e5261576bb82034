// Constants of one element, as matchers of formulas ask for them.
#pragma once

#include <optional>

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

// The number; nullopt for a value that is null, not constant, or has another count of elements.
std::optional<double> constant_number(const Value* v);

}  // namespace onnxc::passes
