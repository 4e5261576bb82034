// The local variables of run() that point at weights, ports and the arena.
#pragma once

#include "compiler/emit/source_names.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

void write_pointers(CodeWriter& w, const EmitContext& context, const SourceNames& names);

}  // namespace onnxc
