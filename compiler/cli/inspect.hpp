// `onnxc inspect MODEL [--json]`: the contents of a model.
#pragma once

#include <string>

namespace onnxc {

struct InspectOptions {
  std::string model;
  bool json = false;
};

// Prints to stdout. Returns exit_code::ok also for models with unsupported operators, which are
// listed; bad_model if the file is not an ONNX model.
int run_inspect(const InspectOptions& options);

}  // namespace onnxc
