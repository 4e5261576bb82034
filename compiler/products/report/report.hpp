// Reports of a compiled model.
#pragma once

#include <string>

#include "compiler/emit/emit.hpp"

namespace onnxc {

// schema 2: model, target, ports, costs; memory, tensors with their places and lifetimes, and steps
// with what they read and write, of each function.
std::string json_report(const EmitContext& context);
// One self-contained page that shows the JSON report: the memory plan, and tables of the steps.
std::string html_report(const EmitContext& context);

}  // namespace onnxc
