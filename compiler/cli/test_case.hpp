// Recorded test cases on disk: folders with model.onnx and test_data_set_*.
#pragma once

#include <string>
#include <vector>

#include "compiler/cli/compare.hpp"

namespace onnxc {

struct TestCase {
  std::string path;                    // the folder, as reached from the command line
  std::vector<std::string> data_sets;  // folders, in order
  std::string model;                   // file
};

// All cases at or below the paths, sorted below each; links are followed, each folder is entered
// once. Throws FatalError(io) for a path that cannot be read.
std::vector<TestCase> find_test_cases(const std::vector<std::string>& paths);

// The paths as data sets, or folders that hold some, of one model. Throws FatalError(io).
std::vector<TestCase> test_cases_of(const std::string& model,
                                    const std::vector<std::string>& paths);

// The data sets in a folder, "test_data_set_2" before "test_data_set_10".
std::vector<std::string> find_data_sets(const std::string& folder);

// With the rtol and atol of the case's own data.json, where there is one.
Tolerance tolerance_of(const TestCase& test, Tolerance tolerance);

}  // namespace onnxc
