// Runs other programs, with a time limit, and stores their output.
#pragma once

#include <string>
#include <vector>

namespace onnxc {

struct ProcessResult {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;      // 0: ended by itself
  bool timed_out = false;
  double seconds = 0;  // wall clock
  std::string output;  // standard output and error, the first 64 KiB
  bool ok() const { return exit_code == 0; }
};

// The program is found through PATH. It and its children are killed after `timeout` seconds, or
// when this process dies. Throws FatalError(io) when it cannot be started.
ProcessResult run_process(const std::vector<std::string>& command, double timeout);

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
