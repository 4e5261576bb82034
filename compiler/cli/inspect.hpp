// `onnxc inspect MODEL [--json]`: what a model is made of.
#pragma once

#include <string>

namespace onnxc {

struct InspectOptions {
  std::string model;
  bool json = false;
};

// Prints to stdout. Returns exit_code::ok also for models with unsupported operators, whose
// problems are part of the answer; bad_model when the file is no ONNX model.
int run_inspect(const InspectOptions& options);

}  // namespace onnxc
