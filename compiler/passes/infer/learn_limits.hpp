// Limits of dynamic dimensions that follow from the checks at run time.
#pragma once

#include <cstddef>

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

// A slice up to 1024 of N elements that is added to N elements says that N is at most 1024: the run
// ends before any step otherwise. Learns such limits from the relations of the outermost graph from
// `first` on, and simplifies all values by them. Returns the number of relations.
std::size_t learn_limits(Graph& graph, std::size_t first);

}  // namespace onnxc::passes
