// Describes this machine, its compiler, and the options of a measurement.
#include "compiler/run/bench_conditions.hpp"

#include <cstdlib>
#include <ctime>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/ir/size_names.hpp"
#include "compiler/run/process.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/words.hpp"

namespace onnxc {
namespace {

std::string environment(const char* name, const char* fallback) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : fallback;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[32] = "";
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", std::gmtime(&now));
  return text;
}

// "" where the system does not say.
std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    for (const std::string key : {"model name", "Model", "uarch"})
      if (line.starts_with(key) && line.find(": ") != std::string::npos)
        return line.substr(line.find(": ") + 2);
  return "";
}

// The first line of --version.
std::string compiler() {
  constexpr double kTimeout = 20;  // seconds
  std::vector<std::string> command = split_words(environment("CXX", "g++"));
  if (command.empty()) command = {"g++"};
  command.push_back("--version");
  try {
    const ProcessResult r = run_process(command, kTimeout);
    if (r.ok()) return r.output.substr(0, r.output.find('\n'));
  } catch (const FatalError&) {
  }
  return command[0];
}

std::string all_flags(const std::string& flags) {
  std::string text;
  for (const std::string& word : split_words(flags + " " + environment("CXXFLAGS", "")))
    text += (text.empty() ? "" : " ") + word;
  return text;
}

// The options that change what is measured, as one would type them.
std::string options_text(const BenchOptions& given, const CompileOptions& o) {
  std::string text = "--target " + o.target;
  const auto add = [&](bool wanted, const std::string& option) {
    if (wanted) text += " " + option;
  };
  for (const auto& [name, range] : o.dims)
    add(true, range.low == range.high
                  ? fmt::format("--dim {}={}", name, range.low)
                  : fmt::format("--dim {}={}..{}", name, range.low, range.high));
  for (const auto& [name, value] : o.fixed_inputs)
    add(true, fmt::format("--fix-input {}={}", name, value));
  for (const auto& [name, format] : o.input_formats)
    add(true, fmt::format("--input {}:{},mean={},scale={},layout={}", name, format.elem,
                          fmt::join(format.mean, ","), fmt::join(format.scale, ","),
                          format.channels_last ? "nhwc" : "nchw"));
  for (const auto& [name, header] : o.operators)
    add(true, fmt::format("--operator {}={}", name, header));
  add(o.threads != 1, fmt::format("--threads {}", o.threads));
  add(o.openmp, "--openmp");
  add(o.optimize_size, "--optimize size");
  add(o.trees_as_code, "--trees ifelse");
  add(o.strict_fp, "--fp strict");
  add(o.plain, "--plain");
  add(o.train, "--train");
  add(o.recompute, "--recompute");
  add(o.quantized_io, "--io int8");
  add(o.zipmap_tensors, "--zipmap tensor");
  for (const std::string& name : o.outputs) add(true, "--keep-output " + name);
  add(!given.data.empty(), "--data DIR");
  add(given.open_sizes, "--open-sizes");
  return text;
}

}  // namespace

MeasuredRun conditions_of(const BenchOptions& given, const CompileOptions& compiled,
                          const std::string& flags, const BenchResult& r) {
  MeasuredRun run{.date = today(),
                  .machine = processor(),
                  .system = platform::system_name(),
                  .compiler = compiler(),
                  .flags = all_flags(flags),
                  .options = options_text(given, compiled),
                  .inputs = given.data.empty() ? "random values" : "recorded values",
                  .threads = compiled.threads,
                  .runs = r.runs,
                  .peak_rss_bytes = r.peak_rss_bytes,
                  .min_ms = r.min_ms,
                  .median_ms = r.median_ms,
                  .p90_ms = r.p90_ms,
                  .p99_ms = r.p99_ms,
                  .sizes = {}};
  for (const auto& [symbol, value] : r.sizes)
    if (has_name(symbol)) run.sizes[name_of_symbol(symbol)] = value;
  return run;
}

Costs costs_of(const MeasuredRun& run, const BenchResult& r) {
  return {.code_bytes = r.code_bytes,
          .code_bytes_at_most = r.code_bytes,
          .stack_bytes = std::nullopt,
          .compiler = run.compiler + ", " + run.flags};
}

}  // namespace onnxc
