// Recorded training steps: train/init/state_N.pb, and {input,output,state}_N.pb in train/step_K.
#pragma once

#include <bit>
#include <functional>
#include <optional>
#include <string>

#include "compiler/run/verify_batch.hpp"

namespace onnxc {

// Runs a unit of the model, counted from run(), on inputs in the format of the drivers. Returns
// what it wrote; nullopt if it failed, which is then recorded.
using RunUnit =
    std::function<std::optional<std::string>(std::size_t unit, const std::string& inputs)>;

// Initialises the state and trains step by step with the results of the steps before; compares
// outputs and states with those in `folder`. `order`: of the program's bytes. Throws FatalError(io)
// for files that do not fit.
void verify_training(const std::string& folder, const CompileResult& generated,
                     const Tolerance& tolerance, std::endian order, const RunUnit& run,
                     CaseResult& result);

}  // namespace onnxc
