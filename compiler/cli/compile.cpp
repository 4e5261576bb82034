// The `compile` command: budgets, files, and the summary line.
#include "compiler/cli/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "compiler/cli/measure.hpp"
#include "compiler/compile.hpp"
#include "compiler/emit/text_gates.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/limits.hpp"
#include "compiler/support/target.hpp"
#include "compiler/support/terminal.hpp"
#include "compiler/support/write_files.hpp"

namespace onnxc {
namespace {

std::string kib(std::int64_t bytes) {
  return bytes < 10 * 1024 * 1024 ? fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024)
                                  : fmt::format("{:.1f} MiB", static_cast<double>(bytes) / 1048576);
}

std::string count(const Dim& macs) {
  if (!macs.is_const()) return fmt::format("({}) ", work_comment(macs));
  const std::int64_t n = macs.value();
  if (n >= 1'000'000'000) return fmt::format("{:.2f} G", static_cast<double>(n) / 1e9);
  if (n >= 1'000'000) return fmt::format("{:.2f} M", static_cast<double>(n) / 1e6);
  return fmt::format("{} ", n);
}

std::int64_t flash(const CompileResult& r) {
  return r.weight_bytes + r.selftest_bytes + r.costs.code_bytes;
}

// One arena serves inference and training; the state is there all the time.
std::int64_t arena_and_state(const CompileResult& r) {
  return r.training ? std::max(r.arena_bytes, r.training->arena_bytes) + r.training->state_bytes
                    : r.arena_bytes;
}

bool uses_any_heap(const CompileResult& r) {
  return r.uses_heap || (r.training && r.training->all.uses_heap);
}

// True, with an error, if the parts are larger than the limit.
bool exceeds(const CompileOptions& o, const char* rule, const std::string& parts, std::int64_t sum,
             const std::optional<std::int64_t>& limit) {
  if (!limit || sum <= *limit) return false;
  terminal::print(stderr, "{}: error[{}]: {} take {} bytes, {} more than the limit of {}\n",
                  o.model, rule, parts, sum, sum - *limit, *limit);
  return true;
}

bool over_budget(const CompileOptions& o, const CompileResult& r) {
  std::string parts =
      fmt::format("{} of arena{}", arena_and_state(r), r.training ? " and state" : "");
  if (r.costs.stack_bytes) parts += fmt::format(" and {} of stack", *r.costs.stack_bytes);
  bool over = exceeds(o, "ram-limit", parts, arena_and_state(r) + r.costs.stack_bytes.value_or(0),
                      o.ram_limit);
  if (o.ram_limit && uses_any_heap(r)) {
    terminal::print(stderr, "{}: error[ram-limit]: the heap has no bound; --no-heap says why\n",
                    o.model);
    over = true;
  }
  const char* const about = r.costs.measured() ? "" : "about ";
  parts = fmt::format("{} of weights and {}{} of code{}", r.weight_bytes + r.selftest_bytes, about,
                      r.costs.code_bytes, *about ? " (--measure compiles it)" : "");
  return exceeds(o, "flash-limit", parts, flash(r), o.flash_limit) || over;
}

void print_memory(const CompileResult& r) {
  const auto arena = static_cast<double>(r.arena_bytes);
  const auto bound = static_cast<double>(r.arena_lower_bound);
  terminal::print(stderr, "arena {} bytes, lower bound {}, ratio {:.3f}; {} steps\n", r.arena_bytes,
                  r.arena_lower_bound, bound > 0 ? arena / bound : 1.0, r.steps.size());
}

void print_training(const TrainingInterface& t) {
  const double bound = static_cast<double>(t.arena_lower_bound);
  terminal::print(stderr, "  training: state {}, arena {} ({:.3f} of its lower bound)\n",
                  kib(t.state_bytes), kib(t.arena_bytes),
                  bound > 0 ? static_cast<double>(t.arena_bytes) / bound : 1.0);
}

void print_costs(const CompileResult& r) {
  const std::string stack = r.costs.stack_bytes
                                ? fmt::format("at most {}", kib(*r.costs.stack_bytes))
                                : std::string("without a bound");
  terminal::print(stderr, "  {}: code {}, weights {}, arena {}, stack {}\n", r.costs.compiler,
                  kib(r.costs.code_bytes), kib(r.weight_bytes), kib(r.arena_bytes), stack);
}

// What was written, by name; of a bundle its folder.
std::string written(const CompileOptions& o, const CompileResult& r) {
  if (!o.bundle.empty()) return fmt::format("{}: {} files", o.bundle, r.files.size());
  std::string names;
  for (const GeneratedFile& f : r.files)
    names += (names.empty() ? "" : ", ") + std::filesystem::path(f.path).filename().string();
  return names;
}

void print_summary(const CompileOptions& o, const CompileResult& r, double seconds) {
  const std::string target = make_target(o.target).name;
  terminal::print(stderr, "{} -> {} | flash {}{}, RAM {}{}, {}MAC | {} | {:.2f} s\n",
                  std::filesystem::path(o.model).filename().string(), written(o, r),
                  r.costs.measured() ? "" : "about ", kib(flash(r)),
                  kib(r.arena_bytes + r.costs.stack_bytes.value_or(0)),
                  uses_any_heap(r) ? " and an unbounded heap" : "", count(r.macs), target, seconds);
  if (r.costs.measured()) print_costs(r);
  if (target == "generic")
    terminal::print(stderr,
                    "{}: note[target]: generic code; --target x86-64-v3 or native, in CMake "
                    "TARGET_ARCH, is faster\n",
                    o.model);
  if (r.selftest_bytes > 0)
    terminal::print(stderr, "  self test: {} of recorded data in flash\n", kib(r.selftest_bytes));
  if (r.training) print_training(*r.training);
  if (o.verbosity > 0) print_memory(r);
}

// Generates the code again, with what the first one takes.
void measure(const CompileOptions& o, CompileResult& r) {
  const std::optional<Costs> costs = measure_costs(r, o);
  Diagnostics again;
  if (costs)
    r = compile(o, again, &*costs);
  else
    terminal::print(stderr,
                    "{}: note[measure]: no compiler for {}: set CXX; the size is estimated\n",
                    o.model, make_target(o.target).name);
}

}  // namespace

int run_compile(const CompileOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Diagnostics diagnostics;
  std::optional<ProcessLimits> limits(options.limits);
  CompileResult r = compile(options, diagnostics);
  limits.reset();  // what is written is written whole
  diagnostics.print(options.model, stderr);
  if (diagnostics.has_errors()) return exit_code::bad_model;
  if (options.measure) measure(options, r);
  if (over_budget(options, r)) return exit_code::budget;
  write_files(r.files);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!options.quiet) print_summary(options, r, seconds);
  return exit_code::ok;
}

}  // namespace onnxc
