// Streams that never are terminals.
#include "compiler/support/platform/terminal.hpp"

namespace onnxc::platform {

// What emscripten says about streams is wrong where they are redirected.
bool is_terminal(std::FILE*) { return false; }

void prepare_streams() {}

}  // namespace onnxc::platform
