// The three streams of the process.
#pragma once

#include <cstdio>

namespace onnxc::platform {

bool is_terminal(std::FILE* stream);

// Before anything is read or written: bytes pass unchanged.
void prepare_streams();

}  // namespace onnxc::platform
