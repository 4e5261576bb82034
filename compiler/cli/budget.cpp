// Compiles within --ram-limit and --flash-limit.
#include "compiler/cli/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/ir/clone.hpp"
#include "compiler/run/measure.hpp"
#include "compiler/support/limits.hpp"
#include "compiler/support/target.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {
namespace {

// True, with an error, if the parts are larger than the limit.
bool exceeds(Diagnostics& diagnostics, const char* rule, const std::string& parts, std::int64_t sum,
             const std::optional<std::int64_t>& limit) {
  if (!limit || sum <= *limit) return false;
  diagnostics.error(rule, "",
                    fmt::format("{} take {} bytes, {} more than the limit of {}", parts, sum,
                                sum - *limit, *limit));
  return true;
}

// Where most of the arena is in use: what has to become smaller for the model to fit.
void blame_memory(const CompileResult& r, Diagnostics& diagnostics) {
  const auto step = std::ranges::find(r.steps, r.peak_step, &StepInfo::name);
  if (r.peak_step.empty() || step == r.steps.end()) return;
  diagnostics.note("ram-limit", "",
                   fmt::format("most is in use at {}, {} {}: {} bytes", quoted(step->name),
                               step->work, step->shapes, r.peak_bytes));
}

// The layers with the most weights.
void blame_weights(const CompileResult& r, Diagnostics& diagnostics) {
  constexpr std::size_t kLayers = 3;
  std::vector<StepInfo> steps = r.steps;
  std::ranges::stable_sort(steps, std::greater{}, &StepInfo::weight_bytes);
  std::string text;
  for (std::size_t i = 0; i < std::min(kLayers, steps.size()) && steps[i].weight_bytes > 0; ++i)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", quoted(steps[i].name),
                        steps[i].weight_bytes);
  if (!text.empty())
    diagnostics.note("flash-limit", "", fmt::format("the most weights have, in bytes, {}", text));
}

// Of a program that was not taken, how much of it there is too much.
void report_other(const CompileOptions& o, const CompileResult& r, Diagnostics& diagnostics) {
  const auto over = [](std::int64_t bytes, const std::optional<std::int64_t>& limit) {
    if (!limit) return fmt::format("{}", bytes);
    return bytes <= *limit ? fmt::format("{}, which is within its limit", bytes)
                           : fmt::format("{}, {} more than its limit", bytes, bytes - *limit);
  };
  diagnostics.note(
      "flash-limit", "",
      fmt::format("code for size takes {} bytes of flash, and of RAM {}",
                  over(flash_bytes_at_most(r), o.flash_limit), over(ram_bytes(r), o.ram_limit)));
}

// Reports what is over the limits; true if anything is.
bool check_budget(const CompileOptions& o, const CompileResult& r, Diagnostics& diagnostics) {
  std::string parts = fmt::format("{} of arena{}", ram_bytes(r) - r.costs.stack_bytes.value_or(0),
                                  r.training ? " and state" : "");
  if (r.costs.stack_bytes) parts += fmt::format(" and {} of stack", *r.costs.stack_bytes);
  bool over = exceeds(diagnostics, "ram-limit", parts, ram_bytes(r), o.ram_limit);
  if (over) blame_memory(r, diagnostics);
  if (o.ram_limit && uses_any_heap(r)) {
    diagnostics.error("ram-limit", "", "the heap has no bound; --no-heap says why");
    over = true;
  }
  const char* const about = r.costs.measured() ? "" : "up to ";
  const char* const why = r.costs.measured() ? "" : " (an estimate: there is no compiler)";
  parts = fmt::format("{} of weights and {}{} of code{}", r.weight_bytes + r.selftest_bytes, about,
                      r.costs.code_bytes_at_most, why);
  if (!exceeds(diagnostics, "flash-limit", parts, flash_bytes_at_most(r), o.flash_limit))
    return over;
  blame_weights(r, diagnostics);
  return true;
}

// The estimate in `r` is replaced by what a compiler makes of the code, where that is wanted; for a
// limit alone in the figures, as the files depend on no compiler unless that is wanted.
void measure_if_wanted(const Compilation& c, CompileResult& r) {
  if (!c.options.measure && !c.options.flash_limit) return;
  Diagnostics again;
  std::string why = fmt::format("no compiler for {}: set CXX", c.target.name);
  if (const char* const given = std::getenv("CXX")) why = fmt::format("cannot run CXX={}", given);
  try {
    if (const std::optional<Costs> costs = measure_costs(r, c.options)) {
      if (c.options.measure) {
        r = emit(c, again, &*costs);
      } else {
        r.costs.compiler = costs->compiler;
        r.costs.code_bytes = r.costs.code_bytes_at_most = costs->code_bytes;
      }
      return;
    }
  } catch (const FatalError& error) {
    if (c.options.measure) throw;
    why = error.what();
  }
  terminal::print(stderr, "{}: note[measure]: {}; the size is estimated\n", c.options.model, why);
}

CompileResult compile_and_measure(std::unique_ptr<Model> model, const CompileOptions& o,
                                  Diagnostics& diagnostics) {
  std::optional<ProcessLimits> limits(o.limits);
  const auto compilation = lower(std::move(model), o, diagnostics);
  if (!compilation) return {};
  CompileResult r = emit(*compilation, diagnostics);
  limits.reset();  // what is written is written whole
  if (!diagnostics.has_errors()) measure_if_wanted(*compilation, r);
  return r;
}

bool ram_fits(const CompileOptions& o, const CompileResult& r) {
  return !o.ram_limit || ram_bytes(r) <= *o.ram_limit;
}
bool flash_fits(const CompileOptions& o, const CompileResult& r) {
  return !o.flash_limit || flash_bytes_at_most(r) <= *o.flash_limit;
}

// Code that takes less memory and some more time in place of `r`, while that is over the limit: as
// little less as that takes. The stack is known of compiled code only, so the arena gives way to it
// in the next round.
void take_less_memory(const Model& model, CompileOptions o, CompileResult& r) {
  constexpr int kRounds = 4;
  constexpr std::int64_t kStackSpread = 64;  // bytes
  o.small_memory = true;
  o.recompute = o.train;
  for (int i = 0; i < kRounds && !ram_fits(o, r); ++i) {
    o.arena_limit = *o.ram_limit - (ram_bytes(r) - r.arena_bytes);
    Diagnostics again;
    CompileResult smaller = compile_and_measure(copy_model(model), o, again);
    if (again.has_errors()) return;
    const bool smallest = smaller.arena_bytes > *o.arena_limit;
    if (ram_bytes(smaller) < ram_bytes(r)) r = std::move(smaller);
    if (smallest) break;
  }
  // The stack that the limit was reduced by may be larger than that of the program found, and that
  // of one between them a little smaller.
  if (!ram_fits(o, r) || !o.arena_limit) return;
  const std::int64_t tried = *o.arena_limit, room = *o.ram_limit - (ram_bytes(r) - r.arena_bytes);
  for (const std::int64_t arena : {room + kStackSpread, room}) {
    if (arena <= tried) return;
    o.arena_limit = arena;
    Diagnostics again;
    CompileResult larger = compile_and_measure(copy_model(model), o, again);
    if (again.has_errors() || !ram_fits(o, larger)) continue;
    r = std::move(larger);
    return;
  }
}

// Code for size in place of `r`, which is over the limit on flash, if the code is why and this is
// smaller. What was not taken becomes `other`.
void take_less_code(const Model& model, CompileOptions o, CompileResult& r,
                    std::optional<CompileResult>& other) {
  if (r.weight_bytes + r.selftest_bytes > *o.flash_limit) return;
  o.optimize_size = true;
  Diagnostics again;
  CompileResult smaller = compile_and_measure(copy_model(model), o, again);
  if (again.has_errors()) return;
  take_less_memory(model, o, smaller);
  if (flash_bytes_at_most(smaller) >= flash_bytes_at_most(r)) return;
  if (!ram_fits(o, smaller)) {
    other = std::move(smaller);
    return;
  }
  r = std::move(smaller);
  if (flash_fits(o, r) && !o.quiet)
    terminal::print(stderr, "{}: note[flash-limit]: code for size: the fastest is over the limit\n",
                    o.model);
}

}  // namespace

int compile_within_limits(std::unique_ptr<Model> model, const CompileOptions& o, CompileResult& r,
                          Diagnostics& diagnostics) {
  if (diagnostics.has_errors()) return exit_code::bad_model;
  std::unique_ptr<Model> again = o.ram_limit || o.flash_limit ? copy_model(*model) : nullptr;
  r = compile_and_measure(std::move(model), o, diagnostics);
  if (diagnostics.has_errors()) return exit_code::bad_model;
  if (!ram_fits(o, r)) take_less_memory(*again, o, r);
  std::optional<CompileResult> other;
  if (!flash_fits(o, r) && !o.optimize_size) take_less_code(*again, o, r, other);
  if (!check_budget(o, r, diagnostics)) return exit_code::ok;
  if (other) report_other(o, *other, diagnostics);
  return exit_code::budget;
}

std::vector<std::unique_ptr<Model>> parts_within_limits(const CompileOptions& o,
                                                        Diagnostics& diagnostics) {
  const ProcessLimits limits(o.limits);
  return models_to_lower(load(o, diagnostics), o, diagnostics);
}

int compile_within_limits(const CompileOptions& o, CompileResult& r, Diagnostics& diagnostics) {
  auto models = parts_within_limits(o, diagnostics);
  if (diagnostics.has_errors()) return exit_code::bad_model;
  return compile_within_limits(std::move(models.front()), o, r, diagnostics);
}

}  // namespace onnxc
