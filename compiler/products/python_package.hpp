// The model as a Python package: its sources, and what makes functions of numpy arrays of them.
#pragma once

#include <string>
#include <vector>

#include "compiler/interface/port.hpp"
#include "compiler/support/write_files.hpp"

namespace onnxc {

struct PythonPackage {
  std::string folder;              // its last part is `name`
  std::string name;                // what Python imports
  std::vector<std::string> flags;  // that the C++ compiler needs
  int threads = 0;                 // of the pool; 0 for none
};

// The files around the sources, which are in folder/src.
std::vector<GeneratedFile> python_files(const ModelInterface& model, const PythonPackage& package,
                                        const std::vector<GeneratedFile>& sources);

}  // namespace onnxc
