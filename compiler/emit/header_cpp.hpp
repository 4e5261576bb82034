// The part of a generated header that only C++ sees.
#pragma once

#include "compiler/emit/emit.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

// A namespace with the types, the names and shapes of the ports, and run() for arrays, pointers and
// containers where all sizes are fixed.
void cpp_interface(CodeWriter& w, const EmitContext& context);

}  // namespace onnxc
