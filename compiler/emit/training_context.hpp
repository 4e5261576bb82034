// The emitters' data for a model that is compiled for training.
#pragma once

#include "compiler/emit/emit.hpp"

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

}  // namespace onnxc
