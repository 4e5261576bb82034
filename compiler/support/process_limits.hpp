// What ends the whole process, whatever part of it is at work: limits on memory and time, and files
// that shrink while they are read.
#pragma once

#include "compiler/support/limits.hpp"

namespace onnxc {

// While an object exists the process gets no more memory than Limits::memory beyond what it has
// now, so that an allocation throws std::bad_alloc; and it ends with exit_code::budget after
// Limits::seconds of processor time. Programs started meanwhile inherit neither.
class ProcessLimits {
 public:
  explicit ProcessLimits(const Limits& limits);
  ProcessLimits(const ProcessLimits&) = delete;
  ~ProcessLimits();

 private:
  bool memory_ = false, time_ = false;
};

// From now on the process ends with exit_code::io when a mapped file is shorter than it was.
void watch_mapped_files();

// Ends the command after std::bad_alloc: prints why, without allocating, and returns the exit code.
int report_out_of_memory() noexcept;

}  // namespace onnxc
