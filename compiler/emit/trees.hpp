// Decision trees as code.
#pragma once

#include <string>

#include "compiler/ir/program.hpp"

namespace onnxc {

// A struct with a function for each tree and `each`, which visits them; its name is @.
std::string emit_trees(const DecisionTrees& trees);

}  // namespace onnxc
