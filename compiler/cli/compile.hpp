// The `compile` command: a model file in, the generated files written.
#pragma once

#include "compiler/support/options.hpp"

namespace onnxc {

// Compiles, checks the budgets, writes, and prints diagnostics and the summary line. Returns the
// exit code; throws FatalError(io) when a file cannot be written.
int run_compile(const CompileOptions& options);

}  // namespace onnxc
