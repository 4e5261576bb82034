// What run() checks before it touches anything.
#pragma once

#include "compiler/emit/source_names.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

// Null and misaligned pointers; the sizes that the inputs tell, and whether they are allowed and
// agree.
void write_argument_checks(CodeWriter& w, const EmitContext& context, const SourceNames& names);

}  // namespace onnxc
