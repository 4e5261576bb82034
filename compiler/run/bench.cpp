// Makes input data, compiles the model with a driver and reports its measurements.
#include "compiler/run/bench.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/ir/clone.hpp"
#include "compiler/onnx/read/import.hpp"
#include "compiler/run/bench_conditions.hpp"
#include "compiler/run/bench_result.hpp"
#include "compiler/run/harness.hpp"
#include "compiler/run/harness_adapter.hpp"
#include "compiler/run/measure.hpp"
#include "compiler/run/open_sizes.hpp"
#include "compiler/run/profile.hpp"
#include "compiler/run/random_inputs.hpp"
#include "compiler/run/recorded.hpp"
#include "compiler/run/test_case.hpp"
#include "compiler/session/session.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/target.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {
namespace {

namespace fs = std::filesystem;

constexpr double kRunTimeout = 3600;  // seconds

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

std::string random_inputs(const std::vector<Port>& ports) {
  Random random;
  std::string bytes;
  for (const Port& port : ports) bytes += pack_tensor(port.dims, random_elements(port, random));
  return bytes;
}

// The inputs, for a message: "'ids' i64[1,16], 'mask' i64[1,16]".
std::string list_of(const std::vector<Port>& ports) {
  std::string text;
  for (const Port& p : ports)
    text += fmt::format("{}'{}' {}", text.empty() ? "" : ", ", p.name, p.type.to_string());
  return text;
}

// A run that ends with a status of the model: its data are at fault, not the generated code.
void require_ok(const ProcessResult& r, const CompileResult& generated, bool recorded) {
  constexpr int kModelStatus = 98;  // of the drivers
  if (r.exit_code != kModelStatus) return;
  throw FatalError(
      exit_code::bad_model,
      fmt::format("the run ends with {} for {} of {}{}", status_name(std::atoi(r.output.c_str())),
                  recorded ? "the recorded values" : "random values",
                  list_of(Subject(generated).inputs),
                  recorded ? "" : "; --data DIR gives recorded ones"));
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
  const ProcessResult compiled = harness.compile_unit(generated, "0", unit);
  if (!compiled.ok())
    throw FatalError(exit_code::io,
                     fmt::format("the compiler refuses the generated code; $CXX and $CXXFLAGS name "
                                 "another: {}",
                                 first_error_line(compiled.output)));
  result.compile_s = watch.seconds();
  result.code_bytes = code_bytes_of(unit + "/unit.o");
  std::vector<std::string> objects = {unit + "/unit.o"};
  if (fs::exists(unit + "/weights.o")) objects.push_back(unit + "/weights.o");
  std::vector<std::string> units = unit_names(generated, "0");
  if (generated.training) units = {units[2], units[1]};  // the step and the initialization
  require(harness.link(driver, units, objects, folder + "/" + name), "linking");
  return folder + "/" + name;
}

// The files that a driver reads.
using InputFiles = std::vector<std::string>;

ProcessResult run(const std::string& program, const InputFiles& inputs,
                  const CompileResult& generated, bool recorded) {
  std::vector<std::string> command = {program};
  command.insert(command.end(), inputs.begin(), inputs.end());
  ProcessResult r = run_process(command, kRunTimeout);
  if (r.signal != 0) require(r, platform::signal_text(r.signal).c_str());
  require_ok(r, generated, recorded);
  require(r, "running the generated code");
  return r;
}

void read_times(const ProcessResult& r, BenchResult& result) {
  long long runs = 0, peak = 0;
  std::sscanf(r.output.c_str(), "%lld %lld %lf %lf %lf %lf %lf %lf", &runs, &peak, &result.min_ms,
              &result.p25_ms, &result.median_ms, &result.p75_ms, &result.p90_ms, &result.p99_ms);
  result.runs = runs;
  result.peak_rss_bytes = peak;
}

// Random values need tensors of known sizes.
void check_sizes(const std::vector<Port>& inputs) {
  for (const Port& port : inputs)
    if (port.is_object() || port.is_dynamic())
      throw FatalError(exit_code::usage,
                       fmt::format("input '{}' is {}: give a value with --data DIR", port.name,
                                   port.type.to_string()));
}

// Chooses a value for every size that is still open, and says so.
void close_sizes(const ModelFile& file, const Model& model, CompileOptions& options) {
  const std::vector<OpenSize> open = open_sizes(model, options);
  if (open.empty()) return;
  const SizeValues sizes = example_sizes(file, model, open, options);
  for (const OpenSize& o : open) options.dims[o.name] = {sizes.at(o.name), sizes.at(o.name)};
  Diagnostics note;
  note.note("open-size", "",
            fmt::format("{}: measured with {}; --dim gives other sizes", are_open(open),
                        as_dim_options(open, sizes)));
  note.print(options.model, stderr);
}

// Random values are as large as --dim allows; `notes` says how large.
std::vector<Port> ports_to_fill(const CompileResult& generated, Diagnostics& notes) {
  std::vector<std::string> fixed;
  std::vector<Port> ports = at_largest(Subject(generated).inputs, generated.symbols, fixed);
  check_sizes(ports);
  if (!fixed.empty())
    notes.note("open-size", "", fmt::format("measured at {}", fmt::join(fixed, ", ")));
  return ports;
}

// The inputs, dynamic dimensions as they were recorded.
std::vector<Port> ports_of(const Recorded& recorded, const CompileResult& generated) {
  std::vector<Port> ports = Subject(generated).inputs;
  const InputShapes shapes = input_shapes(recorded);
  for (std::size_t i = 0; i < ports.size() && i < shapes.size(); ++i) {
    std::vector<std::int64_t>& dims = ports[i].dims;
    if (!shapes[i] || dims.size() != shapes[i]->size()) continue;
    for (std::size_t k = 0; k < dims.size(); ++k)
      if (dims[k] < 0) dims[k] = (*shapes[i])[k];
  }
  return ports;
}

void check_training(const CompileResult& generated, const BenchOptions& options) {
  if (!generated.training) return;
  if (!options.data.empty())
    throw FatalError(exit_code::usage, "--data holds inputs of run(): not with --train");
  if (options.profile && generated.training->algorithms.size() > 1)
    throw FatalError(exit_code::usage, "--profile --train: the model has several training_infos");
}

// Writes the inputs of the function that is measured: the recorded ones, if any, or random values
// for `ports`; for training, with an empty state that the driver replaces, and those of the
// initialization.
InputFiles write_inputs(const CompileResult& generated, const Recorded* recorded,
                        const std::vector<Port>& ports, const std::string& folder) {
  const std::string weights(external_weights(generated));
  std::string inputs = recorded ? pack_inputs(*recorded, ports) : random_inputs(ports);
  InputFiles files = {folder + "/inputs"};
  if (generated.training) {
    inputs += pack_tensor({0}, "");
    files.push_back(folder + "/inputs_of_init");
    write_file(files[1], weights);
  }
  write_file(files[0], inputs + weights);
  return files;
}

// What is measured: the generated code, and the values that it runs on.
struct Measured {
  std::unique_ptr<Model> model;
  CompileResult generated;
  std::optional<Recorded> recorded;
  std::vector<Port> ports;
};

CompileResult compile_copy(const Model& model, const CompileOptions& options,
                           Diagnostics& diagnostics, const Costs* costs = nullptr,
                           const Profile* profile = nullptr) {
  const auto compilation = lower(copy_model(model), options, diagnostics);
  return compilation ? emit(*compilation, diagnostics, costs, profile) : CompileResult();
}

// Writes the reports that the options name, with what was measured in them.
void write_reports(const Model& model, const CompileOptions& options, const Profile& profile,
                   const MeasuredRun& measured, const Costs& costs) {
  Diagnostics again;
  CompileResult r = compile_copy(model, options, again, &costs, &profile);
  std::erase_if(r.files, [&](const GeneratedFile& f) {
    return std::find(options.reports.begin(), options.reports.end(), f.path) ==
           options.reports.end();
  });
  for (GeneratedFile& f : r.files) f.content = with_run(std::move(f.content), measured);
  write_files(r.files);
}

// Reads the data, settles the sizes and generates the code; false if the model is refused. Without
// `tells` only problems are printed: the notes are those of another target.
bool set_up(CompileOptions& compile_options, const BenchOptions& options, bool tells, Measured& p) {
  Diagnostics diagnostics;
  const ModelFile file = open_model(compile_options, diagnostics);
  const Model model = import_model(file, diagnostics, import_options(compile_options));
  if (!options.data.empty()) {
    p.recorded = Recorded{read_inputs(data_set_of(options.data), typed_inputs(model)), {}};
    if (!options.open_sizes) compile_options.input_shapes = input_shapes(*p.recorded);
  } else if (!diagnostics.has_errors()) {
    close_sizes(file, model, compile_options);
  }
  diagnostics = {};
  p.model = load(file, compile_options, diagnostics);
  if (!diagnostics.has_errors()) p.generated = compile_copy(*p.model, compile_options, diagnostics);
  const bool refused = diagnostics.has_errors();
  if (tells || refused) diagnostics.print(compile_options.model, stderr);
  if (refused) return false;
  check_training(p.generated, options);
  Diagnostics notes;
  p.ports = p.recorded ? ports_of(*p.recorded, p.generated) : ports_to_fill(p.generated, notes);
  if (tells) notes.print(compile_options.model, stderr);
  return true;
}

// The compiled code of one target, ready to be run.
struct Prepared {
  CompileOptions options;
  Measured subject;
  std::string flags, program;
  InputFiles inputs;
  BenchResult result;

  bool recorded() const { return subject.recorded.has_value(); }
  ProcessResult run() const { return onnxc::run(program, inputs, subject.generated, recorded()); }
};

CompileOptions options_of_code(const CompileOptions& given) {
  CompileOptions o = given;
  o.name = o.name_space = o.output_base = "model";
  o.bundle.clear();
  o.reports.clear();
  return o;
}

// Generates and compiles the code in this folder; nullopt if the model is refused.
std::optional<Prepared> prepare(const BenchOptions& options, const std::string& folder, bool tells,
                                const terminal::StatusLine& status) {
  fs::create_directories(folder);
  Prepared p;
  p.options = options_of_code(options.compile);
  const StopWatch watch;
  status.clear();
  if (!set_up(p.options, options, tells, p.subject)) return std::nullopt;
  p.result.generate_s = watch.seconds();
  p.result.sizes = sizes_of(p.subject.ports, p.subject.generated.symbols);
  p.flags = (p.options.optimize_size ? "-Os " : "-O3 ") + compiler_flags(p.options);
  status.show_with_time(options.targets.empty()
                            ? "compiling the generated code"
                            : fmt::format("compiling the code for {}", p.options.target));
  p.program = build(p.subject.generated, Toolchain(p.flags, ""), "bench_driver", folder, p.result);
  p.inputs = write_inputs(p.subject.generated, p.recorded() ? &*p.subject.recorded : nullptr,
                          p.subject.ports, folder);
  return p;
}

// One after the other in each round, so that whatever else the machine does falls on all.
void measure_in_turn(std::vector<Prepared>& targets, const terminal::StatusLine& status) {
  constexpr int kRounds = 3;
  std::vector<std::vector<BenchResult>> rounds(targets.size());
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < targets.size(); ++i) {
      status.show_with_time(fmt::format("measuring {}, round {} of {}", targets[i].options.target,
                                        round + 1, kRounds));
      rounds[i].push_back(targets[i].result);
      read_times(targets[i].run(), rounds[i].back());
    }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    std::sort(rounds[i].begin(), rounds[i].end(),
              [](const auto& a, const auto& b) { return a.median_ms < b.median_ms; });
    targets[i].result = rounds[i][kRounds / 2];
  }
}

int run_targets(const BenchOptions& options) {
  const TemporaryFolder folder;
  const terminal::StatusLine status;
  std::vector<Prepared> targets;
  for (const std::string& target : options.targets) {
    BenchOptions one = options;
    one.compile.target = target;
    const bool is_first = targets.empty();
    if (!is_first) one.compile.dims = targets[0].options.dims;  // also those that it chose
    auto prepared = prepare(one, folder.path() + "/" + target, is_first, status);
    if (!prepared) return exit_code::bad_model;
    targets.push_back(std::move(*prepared));
  }
  measure_in_turn(targets, status);
  status.clear();
  std::vector<TargetTime> times;
  for (const Prepared& p : targets)
    times.push_back({p.options.target, Subject(p.subject.generated).macs,
                     Subject(p.subject.generated).arena_bytes, p.result});
  (options.json ? print_targets_json : print_targets)(times);
  return exit_code::ok;
}

}  // namespace

int run_bench(const BenchOptions& options) {
  if (!options.compile.devices.empty())
    throw FatalError(exit_code::usage, "bench runs one device: not with --devices");
  if (!options.targets.empty()) return run_targets(options);
  const TemporaryFolder folder;
  const terminal::StatusLine status;
  auto prepared = prepare(options, folder.path(), true, status);
  if (!prepared) return exit_code::bad_model;
  Prepared& p = *prepared;
  const CompileResult& generated = p.subject.generated;
  status.show_with_time("measuring");
  read_times(p.run(), p.result);
  Profile profile;
  if (options.profile || !options.compile.reports.empty()) {
    p.options.profile = true;
    status.show_with_time("compiling the code that measures each step");
    BenchResult cost;
    Diagnostics again;
    const std::string profiled =
        build(compile_copy(*p.subject.model, p.options, again), Toolchain(p.flags, ""),
              "profile_driver", folder.path(), cost);
    status.show_with_time("measuring each step");
    profile.steps = read_profile(run(profiled, p.inputs, generated, p.recorded()).output);
    profile.sizes = p.result.sizes;
  }
  if (!options.compile.reports.empty()) {
    status.show_with_time("measuring the machine");
    if (p.options.threads == 1)
      measure_peak(Toolchain(p.flags, ""), folder.path(),
                   generated.arena_bytes + generated.weight_bytes, profile);
    CompileOptions report = options.compile;
    report.dims = p.options.dims;
    report.input_shapes = p.options.input_shapes;
    const MeasuredRun measured = conditions_of(options, p.options, p.flags, p.result);
    write_reports(*p.subject.model, report, profile, measured, costs_of(measured, p.result));
  }
  status.clear();
  const auto print = options.json ? print_bench_json : print_bench;
  print(p.result, generated, p.options.threads, profile);
  return exit_code::ok;
}

}  // namespace onnxc
