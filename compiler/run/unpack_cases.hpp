// Unpacks files of cases into folders like those of ONNX's own test suite.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/run/test_case.hpp"

namespace onnxc {

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
