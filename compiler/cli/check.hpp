// `onnxc check MODEL`: every problem, one line each.
#pragma once

#include <string>

#include "compiler/ir/graph.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {

struct CheckOptions {
  std::string model;
};

// Prints the problems to stderr and a summary line. Returns exit_code::ok or bad_model; a file that
// cannot be read throws FatalError(io).
int run_check(const CheckOptions& options);

// Imports the model and infers its types, as far as possible if there are errors.
Model load_checked(const std::string& path, Diagnostics& diagnostics);

}  // namespace onnxc
