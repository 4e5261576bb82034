// Reports about one compilation, for people and for tools.
#pragma once

#include <string>

#include "compiler/emit/emit.hpp"

namespace onnxc {

// schema 1: model, target, ports, memory (plan, lower bound, ratio), weights, steps.
std::string json_report(const EmitContext& context);
// One self-contained page with the same facts and a picture of the memory plan.
std::string html_report(const EmitContext& context);

}  // namespace onnxc
