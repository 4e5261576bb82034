// The verify command.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/support/options.hpp"

namespace onnxc {

// Runs models on recorded data and compares the results.
struct VerifyOptions {
  std::vector<std::string> paths;
  std::string model;  // "" for the model.onnx next to the data
  int jobs = 0;       // 0: one per processor of the machine
  std::string report, junit;
  bool json = false;
  double rtol = 1e-3, atol = 1e-7;
  std::optional<double> scaled;
  bool record = false;        // write the outputs as the expected ones, compare nothing
  std::string layers;         // tensors recorded elsewhere: compares inner tensors with these
  std::string export_to;      // folder for unpacked cases; then they are not run
  std::string keep;           // folder for the generated code, "" for a temporary one
  double timeout = 120;       // seconds one run may take
  int allocation_faults = 0;  // number of allocations of a run to fail, one at a time
  std::string run_with;       // command that runs the programs, e.g. an emulator
  CompileOptions compile;     // for every model
};

int run_verify(const VerifyOptions& options);

}  // namespace onnxc
