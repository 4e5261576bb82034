// Limits on memory and time of the whole process, which hold whatever part of it is at work.
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

// Ends the command after std::bad_alloc: prints why, without allocating, and returns the exit code.
int report_out_of_memory() noexcept;

}  // namespace onnxc
