// The limits that a user sets on the memory of a model.
#pragma once

#include "compiler/compile.hpp"

namespace onnxc {

// Replaces the estimate in `r` by what a compiler makes of the code, where --measure wants that.
void measure_if_wanted(const CompileOptions& options, CompileResult& r);

// Compiles, and judges --ram-limit and --flash-limit by what was measured, if it was. Over the
// first, code that takes less memory and some more time is tried. Returns the exit code that
// `compile` ends with; the reasons are in `diagnostics`.
int compile_within_limits(const CompileOptions& options, CompileResult& r,
                          Diagnostics& diagnostics);

// Weights, recorded data and code.
std::int64_t flash_bytes(const CompileResult& r);
bool uses_any_heap(const CompileResult& r);

}  // namespace onnxc
