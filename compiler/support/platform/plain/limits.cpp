// Whoever runs the program sets its limits.
#include "compiler/support/platform/limits.hpp"

namespace onnxc::platform {

bool limit_memory(std::int64_t) { return false; }
void lift_memory_limit() {}
bool limit_time(int) { return false; }
void lift_time_limit() {}
void watch_mapped_files() {}

}  // namespace onnxc::platform
