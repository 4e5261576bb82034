// Instructions of kernels by the work of a step.
#include "compiler/schedule/instructions.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "compiler/ir/kernel_declaration.hpp"
#include "compiler/ir/nesting.hpp"

namespace onnxc {
namespace {

// Whose code: others run that of one of these.
enum Code : std::uint8_t { kM0PlusCode, kM3Code, kM4FCode, kM55Code, kCodes };
enum Core : std::uint8_t { kM0Plus, kM3, kM4F, kM7, kM33, kM55, kCores };

// Instructions of a kernel, or of kernels of a family without a row of their own.
struct InstructionRow {
  const char* what;
  struct {
    double mac, input, output, call;
  } instructions[kCodes];
};

// Of an instruction of a kernel or family.
struct CycleRow {
  const char* what;
  struct {
    double cycles, constant_loads;
  } each[kCores];
};

// Made by tests/bench/instruction_counts.py, fit and fit_cycles.
constexpr InstructionRow kInstructions[] = {
#include "compiler/schedule/instruction_counts.inc"
};
constexpr CycleRow kCycles[] = {
#include "compiler/schedule/cycles.inc"
};

Code code_of(Core core) {
  switch (core) {
    case kM0Plus:
      return kM0PlusCode;
    case kM3:
      return kM3Code;
    case kM55:
      return kM55Code;
    default:
      return kM4FCode;
  }
}

std::optional<Core> core_of(const std::string& target) {
  if (target == "cortex-m0plus" || target == "cortex-m") return kM0Plus;
  if (target == "cortex-m3") return kM3;
  if (target == "cortex-m7") return kM7;
  if (target == "cortex-m33") return kM33;
  if (target == "cortex-m55" || target == "cortex-m85") return kM55;
  if (target.starts_with("cortex-m") && target != "cortex-m4") return kM4F;
  return std::nullopt;
}

template <class Row, std::size_t N>
const Row* find_row(const Row (&rows)[N], const std::string& what) {
  const auto* const row =
      std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return what == r.what; });
  return row == std::end(rows) ? nullptr : row;
}

template <class Row, std::size_t N>
const Row& row_of(const Row (&rows)[N], const std::string& kernel) {
  if (const Row* const own = find_row(rows, kernel)) return *own;
  const Row* const family = find_row(rows, kernel_family(kernel));
  return family ? *family : *find_row(rows, "other");
}

// Convolutions of few input channels, as first layers are, have rows of their own: they gather
// windows, or multiply more than counts.
constexpr std::int64_t kFewChannels = 4;
constexpr const char* kOfFewChannels = " of few channels";

bool has_few_channels(const Step& step) {
  return std::any_of(step.params.begin(), step.params.end(), [](const Param& p) {
    const auto* const channels = p.name == "in_c" ? std::get_if<Dim>(&p.value) : nullptr;
    return channels && channels->is_const() && channels->value() <= kFewChannels;
  });
}

const InstructionRow& instruction_row(const Step& step) {
  const InstructionRow* const own =
      has_few_channels(step) ? find_row(kInstructions, step.kernel + kOfFewChannels) : nullptr;
  return own ? *own : row_of(kInstructions, step.kernel);
}

double number(const Dim& d) { return d.is_const() ? static_cast<double>(d.value()) : 1.0; }

// Calls add(step, how often it runs) for the calls of a part of a program, of which `times` are the
// executions; false if the work of one is not known.
template <class F>
bool for_calls(const InstructionEstimate& estimate, const Program& program,
               const std::vector<Dim>& times, std::size_t begin, std::size_t end, F add) {
  for (std::size_t i = begin; i < end; ++i) {
    const Step& step = program.steps[i];
    if (step.kind != Step::Kind::call) continue;
    if (!estimate.knows(step) || !times[i].is_const()) return false;
    add(step, static_cast<double>(times[i].value()));
  }
  return true;
}

}  // namespace

std::optional<InstructionEstimate> InstructionEstimate::of(const Target& target) {
  if (const auto core = core_of(target.name)) return InstructionEstimate(code_of(*core), *core);
  return std::nullopt;
}

bool InstructionEstimate::knows(const Step& step) const {
  return step.kind == Step::Kind::call && step.macs.is_const() && step.inputs.is_const() &&
         step.outputs.is_const();
}

double InstructionEstimate::step(const Step& step) const {
  if (step.kind != Step::Kind::call) return 0;
  const auto& each = instruction_row(step).instructions[code_];
  const auto calls = static_cast<double>(std::max<std::int64_t>(step.rows, 1));
  return each.mac * number(step.macs) + each.input * number(step.inputs) +
         each.output * number(step.outputs) + each.call * calls;
}

std::optional<double> InstructionEstimate::program(const Program& program) const {
  double sum = 0;
  const bool known = !has_work_of_unknown_rounds(program) &&
                     for_calls(*this, program, executions(program), 0, program.steps.size(),
                               [&](const Step& s, double times) { sum += step(s) * times; });
  return known ? std::optional(sum) : std::nullopt;
}

CycleEstimate InstructionEstimate::cycles(const Step& step) const {
  const auto& each = row_of(kCycles, step.kernel).each[core_];
  const double instructions = this->step(step);
  return {instructions * each.cycles, instructions * each.constant_loads};
}

std::optional<CycleEstimate> InstructionEstimate::cycles(const Program& program,
                                                         const std::vector<Dim>& times,
                                                         std::size_t begin, std::size_t end) const {
  CycleEstimate sum;
  const bool known = for_calls(*this, program, times, begin, end, [&](const Step& s, double count) {
    const CycleEstimate one = cycles(s);
    sum.cycles += one.cycles * count;
    sum.constant_loads += one.constant_loads * count;
  });
  return known ? std::optional(sum) : std::nullopt;
}

std::optional<CycleEstimate> InstructionEstimate::program_cycles(const Program& program) const {
  if (has_work_of_unknown_rounds(program)) return std::nullopt;
  return cycles(program, executions(program), 0, program.steps.size());
}

}  // namespace onnxc
