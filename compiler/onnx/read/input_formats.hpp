// The formats of inputs that the user asks for with --input.
#pragma once

#include <map>
#include <string>

#include "compiler/ir/graph.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/options.hpp"

namespace onnxc {

// By name: the input of the main graph gets this format, and nodes compute from it what the model
// reads: (x - mean) * scale in float32, with the channels moved to axis 1. Reports names and
// formats that do not fit.
void set_input_formats(Graph& graph, const std::map<std::string, InputFormat>& formats,
                       Diagnostics& diagnostics);

}  // namespace onnxc
