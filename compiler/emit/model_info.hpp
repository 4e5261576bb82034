// What generated code says about itself at run time: texts of statuses, names and shapes of ports.
#pragma once

#include "compiler/emit/emit.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

// Grows when a program that uses the interface of a generated header has to change.
inline constexpr int kApiVersion = 1;

// kws_status with its values, in the header.
void status_type(CodeWriter& w, const EmitContext& context);

// kws_model_info, kws_info and kws_status_text: their declarations and their definitions.
void info_interface(CodeWriter& w, const EmitContext& context);
void info_functions(CodeWriter& w, const EmitContext& context);

}  // namespace onnxc
