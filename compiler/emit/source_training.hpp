// The functions of a training model that call others: init, and a train for all algorithms.
#pragma once

#include "compiler/emit/emit.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

// "kws_status kws_init(void* state, uint64_t seed, void* arena)"
std::string init_signature(const EmitContext& run);
// The same of the function that runs all algorithms.
std::string train_signature(const EmitContext& run);

void write_training_functions(CodeWriter& w, const EmitContext& run);

}  // namespace onnxc
