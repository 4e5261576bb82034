// Read-only access to a whole file or a part of one, mapped where the system can.
#pragma once

#include <memory>
#include <string>

#include "compiler/support/platform/files.hpp"

namespace onnxc::reader {

using platform::FileDescriptor;
using MappedFile = platform::Mapping;

// A whole regular file named by the user, or for "-" standard input. Throws FatalError(io).
std::shared_ptr<const MappedFile> map_file(const std::string& path);

}  // namespace onnxc::reader
