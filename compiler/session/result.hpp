// What a compilation gives: the generated files, and the figures that commands print.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/emit/costs.hpp"
#include "compiler/emit/step_info.hpp"
#include "compiler/interface/port.hpp"
#include "compiler/support/write_files.hpp"

namespace onnxc {

struct CompileResult : ModelInterface {
  std::string base;                  // as in CompileOptions::output_base, resolved
  std::vector<GeneratedFile> files;  // not yet written
  std::int64_t arena_bytes = 0, arena_lower_bound = 0, weight_bytes = 0;
  std::int64_t selftest_bytes = 0;
  std::optional<OwnDevice> device;  // that it is for, of several
  std::string peak_step;            // where most of the arena is in use
  std::int64_t peak_bytes = 0;
  Costs costs;
  Dim macs = 0;                        // multiply-accumulates of one call
  std::optional<double> instructions;  // of one call, an estimate: schedule/instructions.hpp
  std::optional<double> cycles;        // the same in cycles
  bool one_round = false;              // in macs the loops whose rounds only a run tells count once
  std::optional<std::int64_t> max_macs;
  std::optional<Dim> heap_bytes;         // at its peak, where the inputs' sizes decide about it
  std::vector<SizeSymbol> symbols;       // in the shapes of the ports
  std::vector<StepInfo> steps;           // blocks and steps that keep account of sizes have no name
  Dim training_macs = 0;                 // of one training step
  std::vector<StepInfo> training_steps;  // of the first algorithm
  std::vector<std::string> model_files;  // read: the model and its external data
};

// What --ram-limit judges: arena, which inference and training share, state, and the stack where it
// was measured. A heap comes on top.
std::int64_t ram_bytes(const CompileResult& result);

// Weights, recorded data and code.
std::int64_t flash_bytes(const CompileResult& result);
// What --flash-limit judges: the same, with the upper end of an estimate.
std::int64_t flash_bytes_at_most(const CompileResult& result);

// "12.5 MMAC", "512 MAC with one round of each loop".
std::string work_text(const CompileResult& result);

// Whether a function of the interface takes an allocator.
bool uses_any_heap(const CompileResult& result);

}  // namespace onnxc
