// Other programs, and a folder for what they make.
#pragma once

#include <string>

#include "compiler/support/platform/processes.hpp"

namespace onnxc {

// A new folder below $TMPDIR, removed with its contents by the destructor, unless it is to be kept.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace onnxc
