// Annotations for several devices, checked against shapes.
#pragma once

#include <string>

#include "compiler/ir/graph.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc::devices {

// Counts the axes of annotations from the front where ranks are known, and reports what contradicts
// shapes or the order of stages: errors in the configuration `compiled`, warnings in others. Needs
// types as far as they can be inferred; changes nothing that is computed.
void resolve(Graph& graph, const std::string& compiled, Diagnostics& diagnostics);

}  // namespace onnxc::devices
