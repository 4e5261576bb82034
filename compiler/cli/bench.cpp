// Makes input data, compiles the model with a driver and reports its measurements.
#include "compiler/cli/commands.hpp"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "compiler/cli/elf_sections.hpp"
#include "compiler/cli/harness.hpp"
#include "compiler/cli/profile.hpp"
#include "compiler/cli/recorded.hpp"
#include "compiler/cli/test_case.hpp"
#include "compiler/compile.hpp"
#include "compiler/emit/harness_adapter.hpp"
#include "compiler/emit/text_gates.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/json.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {
namespace {

namespace fs = std::filesystem;

constexpr double kRunTimeout = 3600;  // seconds

// What is run: the model, or a step of its training.
struct Subject {
  explicit Subject(const CompileResult& g)
      : inputs(g.training ? g.training->all.inputs : g.inputs),
        steps(g.training ? g.training_steps : g.steps),
        macs(g.training ? g.training_macs : g.macs),
        arena_bytes(g.training ? g.training->arena_bytes : g.arena_bytes),
        arena_lower_bound(g.training ? g.training->arena_lower_bound : g.arena_lower_bound),
        state_bytes(g.training ? g.training->state_bytes : 0) {}

  const std::vector<Port>& inputs;
  const std::vector<StepInfo>& steps;
  Dim macs;
  std::int64_t arena_bytes, arena_lower_bound, state_bytes;
};

struct BenchResult {
  double median_ms = 0, min_ms = 0;
  std::int64_t runs = 0, peak_rss_bytes = 0, code_bytes = 0;
  double generate_s = 0, compile_s = 0;
};

class StopWatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::string data_set_of(const std::string& folder) {
  if (!fs::is_directory(folder)) {
    throw FatalError(exit_code::io, fmt::format("{}: no such folder", folder));
  }
  const std::vector<std::string> sets = find_data_sets(folder);
  return sets.empty() ? folder : sets[0];
}

// The same sequence on every machine.
class Random {
 public:
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 33);
  }
  float unit() { return static_cast<float>(next()) / 1073741824.0f - 1.0f; }  // -1 .. 1

 private:
  std::uint64_t state_ = 42;
};

// Floats in -1..1; all other types 0 or 1, which is also a valid index.
std::string random_input(const Port& port, Random& random) {
  const std::size_t width = elem_bytes(port.elem);
  std::string bytes(static_cast<std::size_t>(port.elements) * width, '\0');
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    const float value = random.unit();
    if (port.elem == ElemType::float32) {
      std::memcpy(&bytes[at], &value, sizeof value);
    } else if (port.elem == ElemType::float64) {
      const double wide = static_cast<double>(value);
      std::memcpy(&bytes[at], &wide, sizeof wide);
    } else if (port.elem == ElemType::float16) {
      bytes[at + 1] = value < 0 ? '\xb8' : '\x38';  // -0.5, 0.5
    } else if (is_float(port.elem)) {
      bytes[at + width - 1] = '\x38';
    } else {
      bytes[at] = value < 0 ? '\0' : '\1';
    }
  }
  return bytes;
}

std::string random_inputs(const std::vector<Port>& ports) {
  Random random;
  std::string bytes;
  for (const Port& port : ports) bytes += pack_tensor(port.dims, random_input(port, random));
  return bytes;
}

void require(const ProcessResult& r, const char* what) {
  if (r.ok()) return;
  throw FatalError(exit_code::internal,
                   fmt::format("{} failed: {}", what, first_error_line(r.output)));
}

// `name`: of the driver, and of the resulting program.
std::string build(const CompileResult& generated, const Toolchain& toolchain,
                  const std::string& name, const std::string& folder, BenchResult& result) {
  const HarnessFolder harness(folder + "/harness", toolchain, false);
  const std::string driver = harness.driver(name), unit = folder + "/" + name + "_unit";
  const StopWatch watch;
  require(harness.compile_unit(generated, 0, unit), "compiling the generated code");
  result.compile_s = watch.seconds();
  result.code_bytes = code_bytes_of(unit + "/unit.o");
  std::vector<std::string> objects = {unit + "/unit.o"};
  if (fs::exists(unit + "/weights.o")) objects.push_back(unit + "/weights.o");
  std::vector<std::string> units = unit_names(generated, 0);
  if (generated.training) units = {units[2], units[1]};  // the step and the initialization
  require(harness.link(driver, units, objects, folder + "/" + name), "linking");
  return folder + "/" + name;
}

// The files that a driver reads.
using InputFiles = std::vector<std::string>;

ProcessResult run(const std::string& program, const InputFiles& inputs) {
  std::vector<std::string> command = {program};
  command.insert(command.end(), inputs.begin(), inputs.end());
  ProcessResult r = run_process(command, kRunTimeout);
  if (r.signal != 0) require(r, strsignal(r.signal));
  require(r, "running the generated code");
  return r;
}

void measure(const std::string& program, const InputFiles& inputs, BenchResult& result) {
  const ProcessResult r = run(program, inputs);
  long long runs = 0, peak = 0;
  std::sscanf(r.output.c_str(), "%lf %lf %lld %lld", &result.median_ms, &result.min_ms, &runs,
              &peak);
  result.runs = runs;
  result.peak_rss_bytes = peak;
}

void print_json(const BenchResult& r, const CompileResult& generated, int threads,
                const std::vector<StepTime>& profile) {
  const Subject subject(generated);
  JsonWriter json;
  json.begin_object().field("median_ms", r.median_ms).field("min_ms", r.min_ms);
  json.field("runs", r.runs).field("threads", threads);
  write_dim(json.key("macs"), subject.macs);
  json.field("arena_bytes", subject.arena_bytes);
  json.field("arena_lower_bound_bytes", subject.arena_lower_bound);
  if (generated.training) json.field("state_bytes", subject.state_bytes);
  json.field("weight_bytes", generated.weight_bytes);
  json.field("code_bytes", r.code_bytes).field("generate_s", r.generate_s);
  json.field("compile_s", r.compile_s).field("peak_rss_bytes", r.peak_rss_bytes);
  if (!profile.empty()) write_profile(profile, subject.steps, json);
  json.end_object();
  terminal::print_document(stdout, json.take());
}

void print_text(const BenchResult& r, const CompileResult& generated, int threads) {
  constexpr double kKi = 1024;
  const Subject subject(generated);
  terminal::print(stdout, "latency   median {:.6g} ms, min {:.6g} ms over {} runs, {} thread{}\n",
                  r.median_ms, r.min_ms, r.runs, threads, threads == 1 ? "" : "s");
  const auto macs = subject.macs.constant();
  if (!macs) {
    terminal::print(stdout, "work      {} multiply-accumulates\n",
                    work_comment(subject.macs).text());
  } else if (r.median_ms > 0 && *macs > 0) {
    terminal::print(stdout, "work      {} multiply-accumulates, {:.2f} G/s\n", *macs,
                    static_cast<double>(*macs) / r.median_ms * 1e-6);
  }
  terminal::print(
      stdout,
      "memory    arena {:.1f} KiB, weights {:.1f} KiB, code {:.1f} KiB, peak RSS {:.1f} KiB\n",
      static_cast<double>(subject.arena_bytes) / kKi,
      static_cast<double>(generated.weight_bytes) / kKi, static_cast<double>(r.code_bytes) / kKi,
      static_cast<double>(r.peak_rss_bytes) / kKi);
  if (generated.training)
    terminal::print(stdout, "state     {:.1f} KiB\n",
                    static_cast<double>(subject.state_bytes) / kKi);
  terminal::print(stdout, "building  generate {:.2f} s, compile {:.2f} s\n", r.generate_s,
                  r.compile_s);
}

void check_sizes(const std::vector<Port>& inputs) {
  for (const Port& port : inputs)
    if (port.is_dynamic())
      throw FatalError(
          exit_code::usage,
          fmt::format("input '{}' is {}: say its sizes with --dim NAME=N, or give data", port.name,
                      to_string(port.shape)));
}

void check_training(const CompileResult& generated, const BenchOptions& options) {
  if (!generated.training) return;
  if (!options.data.empty())
    throw FatalError(exit_code::usage, "--data holds inputs of run(): not with --train");
  if (options.profile && generated.training->algorithms.size() > 1)
    throw FatalError(exit_code::usage, "--profile --train: the model has several training_infos");
}

// Writes the inputs of the function that is measured; for training, with an empty state that the
// driver replaces, and those of the initialization.
InputFiles write_inputs(const CompileResult& generated, const Recorded* recorded,
                        const std::string& folder) {
  const Subject subject(generated);
  const std::string weights(external_weights(generated));
  std::string inputs =
      recorded ? pack_inputs(*recorded, subject.inputs) : random_inputs(subject.inputs);
  InputFiles files = {folder + "/inputs"};
  if (generated.training) {
    inputs += pack_tensor({0}, "");
    files.push_back(folder + "/inputs_of_init");
    write_file(files[1], weights);
  }
  write_file(files[0], inputs + weights);
  return files;
}

}  // namespace

int run_bench(const BenchOptions& options) {
  CompileOptions compile_options = options.compile;
  Recorded recorded;
  if (!options.data.empty()) {
    recorded = read_data_set(data_set_of(options.data));
    compile_options.input_shapes = input_shapes(recorded);
  }
  compile_options.name = compile_options.name_space = "model";
  compile_options.output_base = "model";
  const TemporaryFolder folder;
  BenchResult result;
  Diagnostics diagnostics;
  const StopWatch watch;
  const CompileResult generated = compile(compile_options, diagnostics);
  result.generate_s = watch.seconds();
  diagnostics.print(compile_options.model, stderr);
  if (diagnostics.has_errors()) return exit_code::bad_model;
  check_training(generated, options);
  if (options.data.empty()) check_sizes(Subject(generated).inputs);

  const std::string level = compile_options.optimize_size ? "-Os " : "-O3 ";
  const Toolchain toolchain(level + compiler_flags(compile_options), "");
  const std::string program = build(generated, toolchain, "bench_driver", folder.path(), result);
  const InputFiles inputs =
      write_inputs(generated, options.data.empty() ? nullptr : &recorded, folder.path());
  measure(program, inputs, result);
  std::vector<StepTime> profile;
  if (options.profile) {
    compile_options.profile = true;
    BenchResult cost;
    const std::string profiled = build(compile(compile_options, diagnostics), toolchain,
                                       "profile_driver", folder.path(), cost);
    profile = read_profile(run(profiled, inputs).output);
  }
  if (options.json) {
    print_json(result, generated, compile_options.threads, profile);
  } else {
    print_text(result, generated, compile_options.threads);
    print_profile(profile, Subject(generated).steps);
  }
  return exit_code::ok;
}

}  // namespace onnxc
