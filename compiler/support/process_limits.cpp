// Limits of the whole process, and the message about them.
#include <cstdio>

#include "compiler/support/diagnostics.hpp"
#include "compiler/support/limits.hpp"
#include "compiler/support/platform/limits.hpp"

namespace onnxc {
namespace {

int depth = 0;                  // of objects that exist
std::int64_t memory_limit = 0;  // for the message; stays when the limit is gone

}  // namespace

ProcessLimits::ProcessLimits(const Limits& limits) {
  if (depth++ > 0) return;  // the outermost counts
  if (limits.memory > 0) memory_ = platform::limit_memory(limits.memory);
  if (memory_) memory_limit = limits.memory;
  if (limits.seconds > 0) time_ = platform::limit_time(limits.seconds);
}

ProcessLimits::~ProcessLimits() {
  if (--depth > 0) return;
  if (memory_) platform::lift_memory_limit();
  if (time_) platform::lift_time_limit();
}

void watch_mapped_files() { platform::watch_mapped_files(); }

int report_out_of_memory() noexcept {
  char text[80] = "onnxc: out of memory\n";
  if (memory_limit > 0)
    std::snprintf(text, sizeof text, "onnxc: out of memory; --max-memory is %lld bytes\n",
                  static_cast<long long>(memory_limit));
  std::fputs(text, stderr);
  return exit_code::budget;
}

}  // namespace onnxc
