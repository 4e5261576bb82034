// Recorded test cases on disk: folders with model.onnx and test_data_set_*, and files of cases.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/run/compare.hpp"

namespace onnxc {

struct TestCase {
  std::string path;                    // as reached from the command line: a folder or file:name
  std::vector<std::string> data_sets;  // folders, in order
  std::string model;                   // file
  std::string folder;                  // it may hold a data.json
  std::string refusal = {};            // part of the error that the model must cause
  std::string warning = {};            // part of one that the model must cause
  std::string training = {};           // folder with recorded training steps; empty: none
  bool trains = false;                 // a refusal is about training_info
};

// All cases at or below the paths, sorted below each; links are followed, each folder is entered
// once. A path may also be a file of cases, "a.case", or one case of it, "a.case:name"; these are
// unpacked below `unpack_to`, as folders <stem of the file>/<name of the case>. Throws
// FatalError(io) for a path that cannot be read.
std::vector<TestCase> find_test_cases(const std::vector<std::string>& paths,
                                      const std::string& unpack_to);

// The data sets of one model: the paths, or the data sets inside them. Throws FatalError(io).
std::vector<TestCase> test_cases_of(const std::string& model,
                                    const std::vector<std::string>& paths);

// The folder with recorded training steps in a case's folder, or "".
std::string find_training(const std::string& folder);

// The data sets in a folder, "test_data_set_2" before "test_data_set_10".
std::vector<std::string> find_data_sets(const std::string& folder);

// With the rtol and atol of the case's own data.json, if it has one.
Tolerance tolerance_of(const TestCase& test, Tolerance tolerance);

// Unpacks files of cases into folders like those of ONNX's own test suite.
class CaseUnpacker {
 public:
  // Everything goes below `folder`.
  explicit CaseUnpacker(std::string folder) : folder_(std::move(folder)) {}

  // Unpacks the cases of a file, in order; with a `name`, only that one. Throws FatalError(io).
  std::vector<TestCase> unpack(const std::string& file, const std::string& name);

 private:
  std::string folder_of(const std::string& file);

  std::string folder_;
  std::map<std::string, std::string> files_;  // name of the folder -> file
};

}  // namespace onnxc
