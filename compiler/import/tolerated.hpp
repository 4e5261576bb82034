// What the standard forbids and onnxc accepts all the same.
#pragma once

#include <string>

#include "compiler/support/diagnostics.hpp"

namespace onnxc {

// Warns of every such place in a model file, in its subgraphs too. Nothing is reported about a file
// that is no model. Throws FatalError(io) when the file cannot be read.
void report_tolerated(const std::string& path, Diagnostics& diagnostics);

}  // namespace onnxc
