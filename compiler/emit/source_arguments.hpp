// The checks at the start of run().
#pragma once

#include "compiler/emit/source_names.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

// Checks for null and misaligned pointers; reads the sizes that the inputs define, and checks their
// limits and that they agree.
void write_argument_checks(CodeWriter& w, const EmitContext& context, const SourceNames& names);

}  // namespace onnxc
