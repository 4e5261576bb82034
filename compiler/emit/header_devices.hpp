// Prints the interface of a program that is one of several devices'.
#pragma once

#include "compiler/emit/emit.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

void devices_banner(CodeWriter& w, const OwnDevice& own);
// <name>_devices: the caller's functions that reach other devices.
void devices_type(CodeWriter& w, const EmitContext& c);
// <name>_meet: whether all devices run parts of the same plan.
void meet_interface(CodeWriter& w, const EmitContext& c);
void write_meet_function(CodeWriter& w, const EmitContext& c);

}  // namespace onnxc
