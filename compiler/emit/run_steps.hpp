// The steps of a run as its caller counts them: for --hook and --steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/emit/emit.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {

// Whether the next step is a layer of the same line-buffered group.
inline bool goes_on(const Program& p, std::size_t step) {
  return p.steps[step].group >= 0 && step + 1 < p.steps.size() &&
         p.steps[step + 1].group == p.steps[step].group;
}

// A kernel call, layers that run together, a whole If or Loop, or a call of a model-local function:
// the steps [begin, end) of the program, with those before it that prepare sizes and memory.
struct RunStep {
  std::size_t begin = 0, end = 0;
  std::string name;
  bool changes_state = false;  // it writes to the state of a training
};

std::vector<RunStep> run_steps(const Program& program);

// Estimated cycles of each; 0 where a run decides. Nothing for targets without a table.
std::vector<std::int64_t> cycles_of(const std::vector<RunStep>& steps, const EmitContext& c);

// The check of --steps: an error unless everything that a step leaves behind is in the arena.
void refuse_steps(const Program& program, Diagnostics& diagnostics);

// Whether the function calls the hook of its caller.
inline bool has_hook(const EmitContext& c) {
  return c.options.hook && !c.options.profile &&
         (c.kind == EmitContext::Kind::run || c.kind == EmitContext::Kind::train);
}

// Whether the function runs a part of its steps.
inline bool has_parts(const EmitContext& c) {
  return c.options.steps && !c.options.profile && c.kind == EmitContext::Kind::run;
}

// The constant that says how many steps a function has: STEPS, TRAIN_STEPS; and its macro:
// KWS_STEPS.
std::string steps_constant(const EmitContext& c);
Identifier steps_macro(const EmitContext& c);

}  // namespace onnxc
