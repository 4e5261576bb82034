// Estimates of the instructions that steps execute on a microcontroller.
#pragma once

#include <optional>

#include "compiler/ir/program.hpp"
#include "compiler/support/target.hpp"

namespace onnxc {

// Cycles of memory without wait states, and the words of constants that are read: each of these
// waits once more for each wait state of a flash without a cache.
struct CycleEstimate {
  double cycles = 0, constant_loads = 0;
};

// Instructions of the steps of a program on one core: numbers for each kernel, fitted to counts in
// QEMU of code at -O2 (tests/bench/instruction_counts.py), times the work of a step.
class InstructionEstimate {
 public:
  // nullopt for targets without a table.
  static std::optional<InstructionEstimate> of(const Target& target);

  // Whether the step is a call whose work is known before a run.
  bool knows(const Step& step) const;
  // Of one call. Steps that are no calls count nothing; sizes that are not known count as 1.
  double step(const Step& step) const;
  // Of one run; nullopt where sizes, or rounds of a loop, decide about it.
  std::optional<double> program(const Program& program) const;

  // The same in cycles, by numbers of tests/bench/cycles_plugin.cpp.
  CycleEstimate cycles(const Step& step) const;
  // Of the steps [begin, end), each as often as `times` says: executions(program).
  std::optional<CycleEstimate> cycles(const Program& program, const std::vector<Dim>& times,
                                      std::size_t begin, std::size_t end) const;
  std::optional<CycleEstimate> program_cycles(const Program& program) const;

 private:
  InstructionEstimate(std::size_t code, std::size_t core) : code_(code), core_(core) {}

  std::size_t code_, core_;  // columns of the tables: whose code the core runs, the core itself
};

}  // namespace onnxc
