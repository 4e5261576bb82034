// Streams of a POSIX system, which have no text mode.
#include "compiler/support/platform/terminal.hpp"

#include <unistd.h>

namespace onnxc::platform {

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) != 0; }

void prepare_streams() {}

}  // namespace onnxc::platform
