// What the generated code takes, from the compiler of its target.
#pragma once

#include <optional>

#include "compiler/session/session.hpp"

namespace onnxc {

// Compiles the files of a model with $CXX, or with the usual compiler of its target, and, for a
// bare core, links them with the functions of libraries that they call. Nullopt without such a
// compiler. Throws FatalError(io) where it refuses the code.
std::optional<Costs> measure_costs(const CompileResult& generated, const CompileOptions& options);

}  // namespace onnxc
