// The `prepare` command: writes a model that can be trained.
#pragma once

#include "compiler/import/prepare.hpp"

namespace onnxc {

// Returns an exit code of the command contract.
int run_prepare(PrepareOptions options);

}  // namespace onnxc
