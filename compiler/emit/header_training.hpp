// The part of base.h that only models compiled for training have.
#pragma once

#include "compiler/emit/emit.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

// Lines of the comment at the top.
void training_banner(CodeWriter& w, const EmitContext& run);
// Sizes of the state and the places of its variables.
void training_constants(CodeWriter& w, const EmitContext& run);
// Declarations of reset, init and train.
void training_functions(CodeWriter& w, const EmitContext& run);
// The same in the C++ namespace.
void training_wrappers(CodeWriter& w, const EmitContext& run);

}  // namespace onnxc
