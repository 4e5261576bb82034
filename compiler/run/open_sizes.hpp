// The sizes that a model leaves to its inputs.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "compiler/session/session.hpp"

namespace onnxc {

// The names, for --dim, of sizes of the inputs that neither the model nor --dim fixes or bounds.
std::vector<std::string> open_sizes(const Graph& graph, const CompileOptions& options);

// "--dim batch=1 --dim length=1"
std::string as_dim_options(const std::vector<std::string>& names);

// Ports in which sizes with a bound have their largest value. `fixed` gets them: "batch=8".
std::vector<Port> at_largest(std::vector<Port> ports, const std::vector<SizeSymbol>& symbols,
                             std::vector<std::string>& fixed);

}  // namespace onnxc
