// Limits of this process; compiler/support/limits.hpp says what they are for.
#pragma once

#include <cstdint>

namespace onnxc::platform {

// Memory beyond what the process has now. False: the system has no such limit, or a lower one.
bool limit_memory(std::int64_t bytes);
void lift_memory_limit();

// Processor time from now on; then the process ends with exit_code::budget.
bool limit_time(int seconds);
void lift_time_limit();

// See limits.hpp; nothing where files are not mapped.
void watch_mapped_files();

}  // namespace onnxc::platform
