// `onnxc check MODEL`: every problem of a model.
#pragma once

#include <string>

#include "compiler/ir/graph.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/options.hpp"

namespace onnxc {

enum class CheckFormat { text, json, sarif };

struct CheckOptions {
  CompileOptions compile;  // the model is checked for compilation with these
  CheckFormat format = CheckFormat::text;
};

// Prints the problems: text to stderr, JSON and SARIF to stdout. Returns exit_code::ok if
// `onnxc compile` would accept the model, else bad_model; a file that cannot be read throws
// FatalError(io).
int run_check(const CheckOptions& options);

// Prints docs/diagnostics.md to stdout.
int print_rules();

// Imports the model and infers its types, as far as possible if there are errors.
Model load_checked(const CompileOptions& options, Diagnostics& diagnostics);

}  // namespace onnxc
