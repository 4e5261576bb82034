// The `compile` command: files, and the summary line.
#include "compiler/cli/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "compiler/cli/budget.hpp"
#include "compiler/cli/tradeoff.hpp"
#include "compiler/interface/figures.hpp"
#include "compiler/ir/clone.hpp"
#include "compiler/products/report/report.hpp"
#include "compiler/session/session.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/target.hpp"
#include "compiler/support/terminal.hpp"
#include "compiler/support/write_files.hpp"

namespace onnxc {
namespace {

// The source with its headers in the place of their #include lines, for a pipe. The weights have to
// be inline.
std::string as_single_file(const CompileResult& generated) {
  std::string source;
  for (const GeneratedFile& file : generated.files)
    if (file.path == generated.base + ".cpp") source = file.content;
  for (const GeneratedFile& file : generated.files) {
    const std::string name = std::filesystem::path(file.path).filename().string();
    const std::string include = fmt::format("#include \"{}\"\n", name);
    const std::size_t at = source.find(include);
    if (at != std::string::npos) source.replace(at, include.size(), file.content);
  }
  constexpr std::string_view kOnce = "#pragma once\n";
  const std::size_t once = source.find(kOnce);
  if (once != std::string::npos) source.erase(once, kOnce.size());
  return source;
}

// What the heap takes, printed after the RAM that is known.
std::string heap_text(const CompileResult& r) {
  if (!uses_any_heap(r)) return "";
  if (!r.heap_bytes || r.training) return " and an unbounded heap";
  return fmt::format(" and a heap of {}", bytes_text(*r.heap_bytes));
}

// What the summary shortens to its leading terms.
void print_open_amounts(const CompileResult& r) {
  if (!r.macs.is_const()) terminal::print(stderr, "work {} MAC\n", exact_text(r.macs));
  if (r.heap_bytes && !r.heap_bytes->is_const())
    terminal::print(stderr, "heap {} bytes\n", exact_text(*r.heap_bytes));
}

void print_memory(const CompileResult& r) {
  const auto arena = static_cast<double>(r.arena_bytes);
  const auto bound = static_cast<double>(r.arena_lower_bound);
  terminal::print(stderr, "arena {} bytes, lower bound {}, ratio {:.3f}; {} steps\n", r.arena_bytes,
                  r.arena_lower_bound, bound > 0 ? arena / bound : 1.0, r.steps.size());
}

void print_training(const TrainingInterface& t) {
  const double bound = static_cast<double>(t.arena_lower_bound);
  const double more = bound > 0 ? static_cast<double>(t.arena_bytes) / bound - 1 : 0;
  terminal::print(stderr, "  training: state {}, arena {} ({})\n", bytes_text(t.state_bytes),
                  bytes_text(t.arena_bytes),
                  more > 0 ? fmt::format("{:.1f} % above its lower bound", 100 * more)
                           : "as small as possible");
}

void print_costs(const CompileResult& r) {
  const std::string stack = r.costs.stack_bytes
                                ? fmt::format("at most {}", bytes_text(*r.costs.stack_bytes))
                                : std::string("without a bound");
  terminal::print(stderr, "  {}: code {}, weights {}, arena {}, stack {}\n", r.costs.compiler,
                  bytes_text(r.costs.code_bytes), bytes_text(r.weight_bytes),
                  bytes_text(r.arena_bytes), stack);
}

// "n3 to n66, n75 to n102": the layers that run row by row together; empty for none.
std::string groups_text(const std::vector<StepInfo>& steps) {
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].group < 0) continue;
    const std::size_t begin = i;
    while (i + 1 < steps.size() && steps[i + 1].group == steps[begin].group) ++i;
    if (i == begin) continue;
    text += fmt::format("{}{} to {}", text.empty() ? "" : ", ", steps[begin].name, steps[i].name);
  }
  return text;
}

// An input of which the arena holds rows, not the caller the whole.
void print_row_inputs(const CompileResult& r) {
  for (const Port& p : r.inputs) {
    if (!p.rows) continue;
    const auto row = p.rows->elements() * static_cast<std::int64_t>(storage_bytes(p.elem));
    terminal::print(stderr, "  {} comes row by row: rows of {} in place of {} of RAM\n", p.name,
                    bytes_text(row), bytes_text(row * p.rows->count));
  }
}

// What was written, by name; of a bundle its folder.
std::string written(const CompileOptions& o, const CompileResult& r) {
  if (!o.bundle.empty()) return fmt::format("{}: {} files", o.bundle, r.files.size());
  std::string names;
  for (const GeneratedFile& f : r.files)
    names += (names.empty() ? "" : ", ") + std::filesystem::path(f.path).filename().string();
  return names;
}

// "94.8 KiB", "about 94.8 KiB (at most 130.2 KiB)".
std::string flash_text(const CompileResult& r) {
  if (r.costs.measured()) return bytes_text(flash_bytes(r));
  return fmt::format("about {} (at most {})", bytes_text(flash_bytes(r)),
                     bytes_text(flash_bytes_at_most(r)));
}

void print_summary(const CompileOptions& o, const CompileResult& r, double seconds) {
  const std::string target = make_target(o.target).name;
  const std::string output = o.output_base == "-" ? "stdout" : written(o, r);
  const std::string sent =
      r.device ? fmt::format(" | sends {} in {} messages", bytes_text(r.device->bytes_sent),
                             r.device->messages_sent)
               : "";
  terminal::print(stderr, "{} -> {} | flash {}, RAM {}{}, {}{} | {} | {:.2f} s\n",
                  std::filesystem::path(o.model).filename().string(), output, flash_text(r),
                  bytes_text(r.arena_bytes + r.costs.stack_bytes.value_or(0)), heap_text(r),
                  work_text(r), sent, target, seconds);
  if (r.costs.measured()) print_costs(r);
  if (const std::string groups = groups_text(r.steps); !groups.empty())
    terminal::print(stderr, "  row by row: {}\n", groups);
  print_row_inputs(r);
  if (target == "generic")
    terminal::print(stderr,
                    "{}: note[target]: generic code; --target x86-64-v3 or native, in CMake "
                    "TARGET_ARCH, is faster\n",
                    o.model);
  if (r.selftest_bytes > 0)
    terminal::print(stderr, "  self test: {} of recorded data in flash\n",
                    bytes_text(r.selftest_bytes));
  if (r.training) print_training(*r.training);
  if (o.verbosity == 0) return;
  print_memory(r);
  print_open_amounts(r);
}

// With `-o -` the code goes to stdout as one source, in which the weights are arrays.
CompileOptions for_stdout(CompileOptions options) {
  const bool elsewhere =
      options.weights != WeightsMode::automatic && options.weights != WeightsMode::inline_arrays;
  if (elsewhere || !options.bundle.empty())
    throw FatalError(exit_code::usage,
                     "-o - writes one source: not with --bundle, and weights are "
                     "inline");
  options.weights = WeightsMode::inline_arrays;
  options.output_base.clear();
  return options;
}

// Reports and dependencies are files in any case.
void write_to_stdout(const CompileResult& r) {
  terminal::print_document(stdout, as_single_file(r));
  std::vector<GeneratedFile> files;
  for (const GeneratedFile& file : r.files)
    if (!file.path.starts_with(r.base + ".") && !file.path.ends_with("onnxc_runtime.hpp"))
      files.push_back(file);
  write_files(files);
}

// A program for each device; nothing is written unless all can be made.
int compile_for_devices(CompileOptions o) {
  if (o.output_base == "-" || !o.bundle.empty())
    throw FatalError(exit_code::usage,
                     "--devices writes several programs: not with -o - or "
                     "--bundle");
  if (o.output_base.empty()) o.output_base = std::filesystem::path(o.model).stem().string();
  if (o.name.empty()) o.name = std::filesystem::path(o.output_base).filename().string();
  const auto start = std::chrono::steady_clock::now();
  Diagnostics diagnostics;
  auto models = parts_within_limits(o, diagnostics);
  std::vector<GeneratedFile> files;
  std::vector<CompileResult> parts;
  for (auto& model : models) {
    const int device = model->device->number;
    Diagnostics of_part;  // what is said of one part is said of all
    CompileResult r;
    const int code =
        compile_within_limits(std::move(model), options_of_device(o, device), r, of_part);
    if (device == 0 || code != exit_code::ok) diagnostics.append(of_part);
    if (code != exit_code::ok) {
      diagnostics.print(o.model, stderr);
      return code;
    }
    for (const GeneratedFile& f : r.files)  // the runtime is the same for all
      if (std::none_of(files.begin(), files.end(),
                       [&](const GeneratedFile& other) { return other.path == f.path; }))
        files.push_back(f);
    parts.push_back(std::move(r));
  }
  diagnostics.print(o.model, stderr);
  if (diagnostics.has_errors()) return exit_code::bad_model;
  write_files(files);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  for (const CompileResult& part : parts)
    if (!o.quiet) print_summary(o, part, time.count() / static_cast<double>(parts.size()));
  return exit_code::ok;
}

// Seconds rather than a moment: then a terminal says what is going on.
bool takes_seconds(const std::string& model) {
  constexpr std::uintmax_t kLarge = 32 << 20;
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(model, error);
  return !error && bytes >= kLarge;
}

// Reports on microcontrollers show what else the model could become.
bool shows_alternatives(const CompileOptions& o) {
  return !o.reports.empty() && !o.train && make_target(o.target).small_memory;
}

void add_alternatives(const Model& model, const CompileOptions& options, CompileResult& r) {
  Diagnostics ignored;
  const auto list = tradeoff(model, options, options.measure, ignored);
  for (GeneratedFile& f : r.files)
    if (std::ranges::find(options.reports, f.path) != options.reports.end())
      f.content = with_field(std::move(f.content), "alternatives", alternatives_as_json(list));
}

// The only program, with its reports.
int compile_one(const CompileOptions& options, CompileResult& r, Diagnostics& diagnostics) {
  if (!shows_alternatives(options)) return compile_within_limits(options, r, diagnostics);
  auto models = parts_within_limits(options, diagnostics);
  if (diagnostics.has_errors()) return exit_code::bad_model;
  const std::unique_ptr<Model> again = copy_model(*models.front());
  const int code = compile_within_limits(std::move(models.front()), options, r, diagnostics);
  if (code == exit_code::ok) add_alternatives(*again, options, r);
  return code;
}

}  // namespace

int run_compile(const CompileOptions& given) {
  if (!given.devices.empty() && given.device < 0) return compile_for_devices(given);
  const bool to_stdout = given.output_base == "-";
  const CompileOptions options = to_stdout ? for_stdout(given) : given;
  const auto start = std::chrono::steady_clock::now();
  Diagnostics diagnostics;
  CompileResult r;
  const terminal::StatusLine status;
  if (!options.quiet && takes_seconds(options.model))
    status.show_with_time("compiling " + terminal::text(options.model));
  const int code = compile_one(options, r, diagnostics);
  status.clear();
  diagnostics.print(options.model, stderr);
  if (code != exit_code::ok) return code;
  if (to_stdout)
    write_to_stdout(r);
  else
    write_files(r.files);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!options.quiet) print_summary(given, r, seconds);
  return exit_code::ok;
}

}  // namespace onnxc
