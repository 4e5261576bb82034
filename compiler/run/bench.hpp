// The bench command.
#pragma once

#include <string>
#include <vector>

#include "compiler/support/options.hpp"

namespace onnxc {

// Speed and size of the generated code on this machine.
struct BenchOptions {
  std::string data;  // a test_data_set folder or the folder of a model, "" for random data
  bool json = false;
  bool open_sizes = false;           // the data do not fix the sizes that the model leaves open
  bool profile = false;              // also time every step
  std::vector<std::string> targets;  // measured in turn, without profiles and reports; none: one
  CompileOptions compile;
};

int run_bench(const BenchOptions& options);

}  // namespace onnxc
