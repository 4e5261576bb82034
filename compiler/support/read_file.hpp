// Reading a whole file.
#pragma once

#include <string>

namespace onnxc {

// The bytes of a file. Throws FatalError(io), with the reason.
std::string read_file(const std::string& path);

}  // namespace onnxc
