// The limits that a user sets on the memory of a model.
#pragma once

#include <memory>
#include <vector>

#include "compiler/session/session.hpp"

namespace onnxc {

// Loads the model and divides it among devices, if there are several. The limits on onnxc itself
// hold for this and for the lowering. Errors are in `diagnostics`.
std::vector<std::unique_ptr<Model>> parts_within_limits(const CompileOptions& options,
                                                        Diagnostics& diagnostics);

// Lowers and emits, and judges --ram-limit and --flash-limit: by what a compiler makes of the code
// where --measure wants that, else by an estimate. Over a limit, the fastest code that is within it
// is looked for. Returns the exit code that `compile` ends with; the reasons are in `diagnostics`.
int compile_within_limits(std::unique_ptr<Model> model, const CompileOptions& options,
                          CompileResult& r, Diagnostics& diagnostics);

// Loads the model first; of several devices that of options.device, or the first.
int compile_within_limits(const CompileOptions& options, CompileResult& r,
                          Diagnostics& diagnostics);

}  // namespace onnxc
