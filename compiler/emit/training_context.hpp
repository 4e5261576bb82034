// What the emitters know and print of a model that is compiled for training.
#pragma once

#include "compiler/emit/emit.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

// A program besides run(), and the graph it was made from; null for reset.
struct EntryProgram {
  EmitContext::Kind kind = EmitContext::Kind::train;
  const TrainingEntry* entry = nullptr;
  Program program;
};

// Adds contexts for the programs to `run`, whose reserved names are not final yet. `training`
// outlives both.
void add_training(EmitContext& run, TrainingContext& training,
                  const std::vector<EntryProgram>& programs);

// The interface as the harness sees it.
TrainingInterface training_interface(const TrainingContext& training);

// Lines of the comment at the top.
void training_banner(CodeWriter& w, const EmitContext& run);
// Sizes of the state and the places of its variables.
void training_constants(CodeWriter& w, const EmitContext& run);
// Declarations of reset, init and train.
void training_functions(CodeWriter& w, const EmitContext& run);
// The same in the C++ namespace.
void training_wrappers(CodeWriter& w, const EmitContext& run);

// "kws_status kws_init(void* state, uint64_t seed, void* arena)"
std::string init_signature(const EmitContext& run);
// The same of the function that runs all algorithms.
std::string train_signature(const EmitContext& run);

void write_training_functions(CodeWriter& w, const EmitContext& run);

}  // namespace onnxc
