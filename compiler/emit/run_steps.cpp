// Groups the steps of a program into those that the caller of run() sees.
#include "compiler/emit/run_steps.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "compiler/interface/names.hpp"
#include "compiler/ir/nesting.hpp"
#include "compiler/ir/size_names.hpp"
#include "compiler/schedule/instructions.hpp"

namespace onnxc {
namespace {

bool writes_state(const Program& p, const Step& step) {
  return std::any_of(step.args.begin(), step.args.end(), [&](const Arg& arg) {
    const auto* b = std::get_if<BufferArg>(&arg.value);
    return b && b->writes && p.at(p.root(b->buffer).first).kind == Buffer::Kind::state;
  });
}

// The end of the statement of the generated code that begins at step i.
std::size_t statement_end(const Program& p, const Nesting& nesting, std::size_t i) {
  std::size_t end = nesting.statement_end(i);
  while (goes_on(p, end - 1)) ++end;
  return end;
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string name_of(const Step& step) {
  if (!step.name.empty()) return step.name;
  return step.sources.empty() ? step.title : last_part(step.sources.front());
}

}  // namespace

std::vector<RunStep> run_steps(const Program& p) {
  const Nesting nesting(p);
  std::vector<RunStep> steps;
  auto call = p.calls.begin();
  std::size_t begin = 0;
  for (std::size_t i = 0; i < p.steps.size();) {
    const bool function = call != p.calls.end() && call->begin == i;
    if (!function && is_size_step(p.steps[i])) {
      ++i;  // belongs to the step after it
      continue;
    }
    RunStep step{begin, function ? call->end : statement_end(p, nesting, i),
                 function ? last_part(call->source) : name_of(p.steps[i])};
    for (std::size_t k = i; k < step.end; ++k)
      step.changes_state = step.changes_state || writes_state(p, p.steps[k]);
    if (function) ++call;
    // Calls inside a block belong to it.
    while (call != p.calls.end() && call->begin < step.end) ++call;
    i = begin = step.end;
    steps.push_back(std::move(step));
  }
  if (begin < p.steps.size() && !steps.empty()) steps.back().end = p.steps.size();
  return steps;
}

std::vector<std::int64_t> cycles_of(const std::vector<RunStep>& steps, const EmitContext& c) {
  const auto estimate = InstructionEstimate::of(c.target);
  if (!estimate) return {};
  const std::vector<Dim> times = executions(c.program);
  std::vector<std::int64_t> cycles;
  for (const RunStep& step : steps) {
    const auto all = std::span(c.program.steps).subspan(step.begin, step.end - step.begin);
    const auto sum = std::ranges::any_of(all, has_unknown_rounds)
                         ? std::nullopt
                         : estimate->cycles(c.program, times, step.begin, step.end);
    cycles.push_back(sum ? static_cast<std::int64_t>(sum->cycles) : 0);
  }
  return cycles;
}

void refuse_steps(const Program& p, Diagnostics& diagnostics) {
  const auto refuse = [&](const std::string& why) {
    diagnostics.error("steps", "--steps",
                      why + ", so that a run cannot go on from its arena; --hook can stop it");
  };
  if (p.uses_heap()) return refuse("sizes without a bound live on the heap");
  for (const SizeSymbol& s : p.symbols)
    if (s.input < 0 && !s.definition && !s.is_draw)
      return refuse(
          fmt::format("the size {} is determined at run time", quoted(name_of_symbol(s.name))));
}

std::string steps_constant(const EmitContext& c) {
  return c.kind == EmitContext::Kind::run ? "STEPS" : upper_case(c.function) + "_STEPS";
}

Identifier steps_macro(const EmitContext& c) {
  return upper_case(c.name).with(identifier_from(steps_constant(c)));
}

}  // namespace onnxc
