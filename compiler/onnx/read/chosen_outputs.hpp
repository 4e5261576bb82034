// The outputs that the user asks for with --keep-output.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {

// Makes these tensors of the main graph its outputs, in this order. Names are those of the model;
// an unknown one is an error. Without names the outputs stay.
void choose_outputs(Graph& graph, const std::vector<std::string>& names, Diagnostics& diagnostics);

}  // namespace onnxc
