// The `bench` command: how fast and how large the generated code is on this machine.
#pragma once

#include <string>

#include "compiler/support/options.hpp"

namespace onnxc {

struct BenchOptions {
  std::string data;  // a test_data_set folder or the folder of a model, "" for random data
  bool json = false;
  bool profile = false;  // also time every step
  CompileOptions compile;
};

// Returns the exit code.
int run_bench(const BenchOptions& options);

}  // namespace onnxc
