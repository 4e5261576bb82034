// Turns files of cases into the folders that ONNX's own test suite has.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/cli/test_case.hpp"

namespace onnxc {

class CaseUnpacker {
 public:
  // Everything goes below `folder`.
  explicit CaseUnpacker(std::string folder) : folder_(std::move(folder)) {}

  // The cases of a file, in order; with a `name`, that one alone. Throws FatalError(io).
  std::vector<TestCase> unpack(const std::string& file, const std::string& name);

 private:
  std::string folder_of(const std::string& file);

  std::string folder_;
  std::map<std::string, std::string> files_;  // name of the folder -> file
};

}  // namespace onnxc
