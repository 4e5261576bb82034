// How inputs, outputs, weights and the arena become local variables of a generated function.
#pragma once

#include <string>
#include <vector>

#include "compiler/emit/source_names.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

// Checks for null and misaligned pointers; reads the sizes that the inputs define, and checks their
// limits and that they agree.
void write_argument_checks(CodeWriter& w, const EmitContext& context, const SourceNames& names);

// The blocks of the heap that are declared where they are allocated: nothing else mentions them
// before, and that is in no If or Loop. The others are declared before the first step.
std::vector<bool> declared_at_first_use(const EmitContext& context);

void write_pointers(CodeWriter& w, const EmitContext& context, const SourceNames& names);

// Declares the Value `name` with the input that the caller passed for `port`.
void write_value_import(CodeWriter& w, const std::string& name, const Port& port);
// Values without a fixed shape, and strings computed at run time, are passed to the caller at the
// end.
void write_value_exports(CodeWriter& w, const EmitContext& context, const SourceNames& names);

}  // namespace onnxc
