// What a model may ask for, and what ends the whole process: limits on memory and time, and files
// that shrink while they are read.
#pragma once

#include <cstdint>

namespace onnxc {

// Real models stay far below the defaults.
struct Limits {
  int depth = 32;                  // of subgraphs in subgraphs, and of types in types
  int calls = 100;                 // of functions that call functions
  std::int64_t nodes = 1'000'000;  // with those of functions, once for each call
  int rank = 64;
  std::int64_t tensor_bytes = std::int64_t{64} << 30;  // of one tensor, at run time
  // Of all constants that onnxc computes, beyond 64 times those in the model.
  std::int64_t constant_bytes = std::int64_t{1} << 30;
  // Memory of onnxc itself, and the seconds of processor time it may take; a 0 lifts them.
  std::int64_t memory = std::int64_t{16} << 30;
  int seconds = 3600;
};

// While an object exists the process gets no more memory than Limits::memory beyond what it has
// now, so that an allocation throws std::bad_alloc; and it ends with exit_code::budget after
// Limits::seconds of processor time. Programs started meanwhile inherit neither.
// An object within the life of another one changes nothing.
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
