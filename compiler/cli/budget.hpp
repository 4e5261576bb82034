// The limits that a user sets on the memory of a model.
#pragma once

#include "compiler/compile.hpp"

namespace onnxc {

// Replaces the estimate in `r` by what a compiler makes of the code, where --measure wants that.
void measure_if_wanted(const CompileOptions& options, CompileResult& r);

// Reports what is over --ram-limit or --flash-limit; true if anything is.
bool check_budget(const CompileOptions& options, const CompileResult& r, Diagnostics& diagnostics);

// Weights, recorded data and code.
std::int64_t flash_bytes(const CompileResult& r);
bool uses_any_heap(const CompileResult& r);

}  // namespace onnxc
