// The `compile` command: budgets, files, and the summary line.
#include "compiler/cli/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>

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

bool over_budget(const CompileOptions& o, const CompileResult& r) {
  bool over = false;
  // One arena serves inference and training; the state is there all the time.
  const std::int64_t arena = std::max(r.arena_bytes, r.training ? r.training->arena_bytes : 0);
  const std::int64_t state = r.training ? r.training->state_bytes : 0;
  if (o.ram_limit && arena > *o.ram_limit - state) {
    terminal::print(stderr, "{}: error[ram-limit]: the arena takes {} bytes{}, the limit is {}\n",
                    o.model, arena, state > 0 ? fmt::format(" and the state {}", state) : "",
                    *o.ram_limit);
    over = true;
  }
  if (o.flash_limit && r.weight_bytes > *o.flash_limit) {
    terminal::print(stderr, "{}: error[flash-limit]: the weights take {} bytes, the limit is {}\n",
                    o.model, r.weight_bytes, *o.flash_limit);
    over = true;
  }
  return over;
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

void print_summary(const CompileOptions& o, const CompileResult& r, double seconds) {
  const auto file_name = [](const std::string& path) {
    return std::filesystem::path(path).filename().string();
  };
  const std::string target = make_target(o.target).name;
  terminal::print(stderr, "{} -> {}.cpp | flash {}, RAM {}, {}MAC | {} | {:.2f} s\n",
                  file_name(o.model), file_name(r.base), kib(r.weight_bytes), kib(r.arena_bytes),
                  count(r.macs), target, seconds);
  if (target == "generic")
    terminal::print(stderr,
                    "{}: note[target]: generic code; --target x86-64-v3 or native is faster\n",
                    o.model);
  if (r.selftest_bytes > 0)
    terminal::print(stderr, "  self test: {} of recorded data in flash\n", kib(r.selftest_bytes));
  if (r.training) print_training(*r.training);
  if (o.verbosity > 0) print_memory(r);
}

}  // namespace

int run_compile(const CompileOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Diagnostics diagnostics;
  std::optional<ProcessLimits> limits(options.limits);
  const CompileResult r = compile(options, diagnostics);
  limits.reset();  // what is written is written whole
  diagnostics.print(options.model, stderr);
  if (diagnostics.has_errors()) return exit_code::bad_model;
  if (over_budget(options, r)) return exit_code::budget;
  write_files(r.files);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!options.quiet) print_summary(options, r, seconds);
  return exit_code::ok;
}

}  // namespace onnxc
