// Sequences, optionals, maps, and strings that the run makes: how they pass the interface.
#pragma once

#include <string>

#include "compiler/emit/source_names.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

// Declares the Value `name` with what the caller gave for `port`.
void write_value_import(CodeWriter& w, const std::string& name, const Port& port);
// Values without a fixed shape, and strings that the run made, go to the caller at the end.
void write_value_exports(CodeWriter& w, const EmitContext& context, const SourceNames& names);

}  // namespace onnxc
