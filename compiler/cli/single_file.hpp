// The generated code as one source, for a pipe.
#pragma once

#include <string>

#include "compiler/session/session.hpp"

namespace onnxc {

// The source with its headers in the place of their #include lines. The weights have to be inline.
std::string as_single_file(const CompileResult& generated);

}  // namespace onnxc
