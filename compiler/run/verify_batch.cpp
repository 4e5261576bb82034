// Groups test cases into programs, runs them and compares the outputs.
#include "compiler/run/verify_batch.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "compiler/run/harness_adapter.hpp"
#include "compiler/run/measure.hpp"
#include "compiler/run/recorded.hpp"
#include "compiler/session/session.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/read_file.hpp"
#include "compiler/support/words.hpp"

namespace onnxc {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kGenerateLimit = 600;  // seconds for one model

// One generated program: a case, for all or some of its data sets.
struct Unit {
  std::size_t test = 0;
  std::vector<std::string> folders;
  std::string training;  // folder with recorded training steps, in the place of data sets
  std::vector<Recorded> data;
  CompileResult generated;
  std::vector<CompileResult> parts;  // of the devices, where there are several
  int index = 0;
  std::string folder;
  std::string weights;  // to bind at run time
  bool compiled = false;
  std::string program;  // "" while not linked
  int number = 0;       // of its first unit in the program
};

std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text;
}

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;) {
    text.erase(at, part.size());
  }
  return text;
}

std::string first_error(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Severity::error) return diagnostics.format(d, "model.onnx");
  }
  return "";
}

class Batch {
 public:
  Batch(const std::vector<TestCase>& cases, const VerifyOptions& options,
        const HarnessFolder& harness, const std::string& driver, const std::string& folder)
      : cases_(cases),
        options_(options),
        harness_(harness),
        driver_(driver),
        folder_(folder),
        order_(byte_order_of(driver)) {}

  void generate(std::size_t test, CaseResult& result);
  void compile(std::vector<CaseResult>& results);
  void link(std::vector<CaseResult>& results);
  void run(std::size_t test, CaseResult& result);

 private:
  void expect_refusal(std::size_t test, CaseResult& result) const;
  Tolerance given_tolerance() const;
  void expect_warning(std::size_t test, CaseResult& result) const;
  bool generate_unit(Unit unit, const InputShapes& shapes, Diagnostics& diagnostics);
  void generate_fixed(std::size_t test, CaseResult& result);
  void generate_data_sets(std::size_t test, CaseResult& result);
  void generate_training(std::size_t test, CaseResult& result);
  void explain(std::size_t test, const std::string& trouble, CaseResult& result) const;
  void link_units(const std::vector<Unit*>& units, const std::string& name,
                  std::vector<CaseResult>& results);
  std::optional<std::string> execute(const Unit& unit, std::size_t function,
                                     const std::string& input_bytes, CaseResult& result);
  void run_unit(const Unit& unit, std::size_t set, CaseResult& result);
  void run_training(const Unit& unit, CaseResult& result);
  void compare_outputs(const Unit& unit, const std::vector<DataValue>& got, const Recorded& data,
                       CaseResult& result) const;
  std::vector<Unit*> compiled_units();

  const std::vector<TestCase>& cases_;
  const VerifyOptions& options_;
  const HarnessFolder& harness_;
  const std::string& driver_;
  const std::string& folder_;
  const std::endian order_;  // of the bytes of the programs
  std::vector<Unit> units_;
};

// Drops data that are not inputs of the program, if the names match all of its inputs.
void drop_unknown(std::vector<DataValue>& data, const std::vector<Port>& ports) {
  if (data.size() <= ports.size()) return;
  std::vector<DataValue> matching;
  for (const DataValue& v : data)
    if (matching.size() < ports.size() && v.name == ports[matching.size()].name)
      matching.push_back(v);
  if (matching.size() == ports.size()) data = std::move(matching);
}

// The programs of all devices; false if one is refused.
bool generate_parts(const ModelFile& file, const CompileOptions& options, Unit& unit,
                    Diagnostics& diagnostics) {
  const auto model = load(file, options, diagnostics);
  for (auto& part : partition(*model, options, diagnostics)) {
    CompileOptions own = options_of_device(options, part->device->number);
    own.name_space = own.name;
    const auto compilation = lower(std::move(part), own, diagnostics);
    if (!compilation) return false;
    unit.parts.push_back(emit(*compilation, diagnostics));
  }
  return !diagnostics.has_errors();
}

// False if the model is refused.
bool Batch::generate_unit(Unit unit, const InputShapes& shapes, Diagnostics& diagnostics) {
  unit.index = static_cast<int>(units_.size());
  unit.folder = fmt::format("{}/{}", folder_, unit_name(unit.index));
  CompileOptions options = options_.compile;
  options.model = cases_[unit.test].model;
  options.name = unit_name(unit.index);
  options.name_space = options.name;
  options.output_base = unit.folder + "/" + options.name;
  options.input_shapes = shapes;
  options.train = options.train || !unit.training.empty();
  // The only form that has no bytes of some order.
  if (order_ == std::endian::big && options.weights == WeightsMode::automatic)
    options.weights = WeightsMode::inline_arrays;
  options.devices.clear();
  const ModelFile file = open_model(options, diagnostics);
  unit.generated = onnxc::compile(file, options, diagnostics);
  if (diagnostics.has_errors()) return false;
  const std::size_t recorded = unit.folders.empty() ? 0 : count_inputs(unit.folders.front());
  if (recorded > unit.generated.inputs.size() && options.overridden_initializers.empty()) {
    // Data for inputs with default values override these.
    options.overridden_initializers = {"*"};
    CompileResult overridden = onnxc::compile(file, options, diagnostics);
    if (diagnostics.has_errors()) return false;
    if (overridden.inputs.size() == recorded) unit.generated = std::move(overridden);
  }
  options.devices = options_.compile.devices;
  if (!options.devices.empty() && !generate_parts(file, options, unit, diagnostics)) return false;
  unit.data.clear();
  for (const std::string& folder : unit.folders) {
    unit.data.push_back(read_data_set(folder, unit.generated.inputs, unit.generated.outputs));
    drop_unknown(unit.data.back().inputs, unit.generated.inputs);
  }
  units_.push_back(std::move(unit));
  return true;
}

// Data that cannot be read often belong to a model that is refused, for a better reason.
void Batch::explain(std::size_t test, const std::string& trouble, CaseResult& result) const {
  CompileOptions options = options_.compile;
  options.model = cases_[test].model;
  Diagnostics diagnostics;
  try {
    onnxc::compile(options, diagnostics);
  } catch (const FatalError&) {
  }
  record(result, CaseStatus::refused,
         diagnostics.has_errors() ? first_error(diagnostics) : trouble);
}

bool is_about_sizes(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::error && d.id != "dynamic-dim") return false;
  return true;
}

// For models that need static dimensions: one unit per distinct set of input shapes.
void Batch::generate_fixed(std::size_t test, CaseResult& result) {
  std::vector<std::pair<InputShapes, Unit>> groups;
  for (const std::string& folder : cases_[test].data_sets) {
    const InputShapes shapes = input_shapes(read_data_set(folder));
    auto same = std::find_if(groups.begin(), groups.end(),
                             [&](const auto& group) { return group.first == shapes; });
    if (same == groups.end()) {
      same = groups.emplace(groups.end(), shapes, Unit{});
      same->second.test = test;
    }
    same->second.folders.push_back(folder);
  }
  for (auto& [shapes, unit] : groups) {
    Diagnostics diagnostics;
    if (!generate_unit(std::move(unit), shapes, diagnostics))
      record(result, CaseStatus::refused, first_error(diagnostics));
  }
}

// A model that must be refused, with the expected error.
void Batch::expect_refusal(std::size_t test, CaseResult& result) const {
  CompileOptions options = options_.compile;
  options.model = cases_[test].model;
  options.train = options.train || cases_[test].trains;
  Diagnostics diagnostics;
  onnxc::compile(options, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) {
    const bool meant = diagnostics.format(d, "").find(cases_[test].refusal) != std::string::npos;
    if (d.severity == Severity::error && meant) return;
  }
  record(result, CaseStatus::mismatch,
         diagnostics.has_errors()
             ? fmt::format("refused for another reason: {}", first_error(diagnostics))
             : "not refused");
}

// As `check` gives it.
void Batch::expect_warning(std::size_t test, CaseResult& result) const {
  if (cases_[test].warning.empty()) return;
  CompileOptions options = options_.compile;
  options.model = cases_[test].model;
  options.lint = true;
  Diagnostics diagnostics;
  onnxc::compile(options, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) {
    const bool meant = diagnostics.format(d, "").find(cases_[test].warning) != std::string::npos;
    if (d.severity == Severity::warning && meant) return;
  }
  record(result, CaseStatus::mismatch, "the warning is missing");
}

// One unit for all data sets: dynamic dimensions stay dynamic.
void Batch::generate_data_sets(std::size_t test, CaseResult& result) {
  Unit unit;
  unit.test = test;
  unit.folders = cases_[test].data_sets;
  Diagnostics diagnostics;
  if (generate_unit(std::move(unit), {}, diagnostics)) return expect_warning(test, result);
  if (is_about_sizes(diagnostics)) return generate_fixed(test, result);
  record(result, CaseStatus::refused, first_error(diagnostics));
}

void Batch::generate_training(std::size_t test, CaseResult& result) {
  Unit unit;
  unit.test = test;
  unit.training = cases_[test].training;
  Diagnostics diagnostics;
  if (!generate_unit(std::move(unit), {}, diagnostics))
    record(result, CaseStatus::refused, first_error(diagnostics));
}

void Batch::generate(std::size_t test, CaseResult& result) {
  const platform::Alarm alarm(kGenerateLimit);
  try {
    if (!cases_[test].refusal.empty()) return expect_refusal(test, result);
    if (!cases_[test].data_sets.empty()) generate_data_sets(test, result);
    if (!cases_[test].training.empty()) generate_training(test, result);
  } catch (const FatalError& e) {
    explain(test, e.what(), result);
  } catch (const std::exception& e) {
    record(result, CaseStatus::crash, fmt::format("internal error: {}", e.what()));
  }
}

void Batch::compile(std::vector<CaseResult>& results) {
  for (Unit& unit : units_) {
    const std::string name = std::to_string(unit.index);
    const ProcessResult r =
        unit.parts.empty() ? harness_.compile_unit(unit.generated, name, unit.folder)
                           : harness_.compile_team(unit.generated, unit.parts, name, unit.folder);
    unit.compiled = r.ok();
    if (unit.parts.empty()) unit.weights = external_weights(unit.generated);
    unit.generated.files.clear();
    if (!r.ok()) {
      record(results[unit.test], CaseStatus::compile_error,
             r.timed_out ? "the C++ compiler takes too long"
                         : without(first_error_line(r.output), unit.folder + "/"));
    }
  }
}

std::vector<Unit*> Batch::compiled_units() {
  std::vector<Unit*> list;
  for (Unit& unit : units_) {
    if (unit.compiled) list.push_back(&unit);
  }
  return list;
}

// All units in one program; if that fails, one program each, to find the cause.
void Batch::link_units(const std::vector<Unit*>& units, const std::string& name,
                       std::vector<CaseResult>& results) {
  std::vector<std::string> names, objects;
  std::vector<int> numbers;
  for (const Unit* unit : units) {
    numbers.push_back(static_cast<int>(names.size()));
    for (std::string& one : unit_names(unit->generated, std::to_string(unit->index)))
      names.push_back(std::move(one));
    objects.push_back(unit->folder + "/unit.o");
    std::vector<std::string> folders = {unit->folder};
    for (std::size_t d = 0; d < unit->parts.size(); ++d) {
      folders.push_back(fmt::format("{}/{}", unit->folder, d));
      objects.push_back(folders.back() + "/unit.o");
    }
    for (const std::string& folder : folders)
      if (fs::exists(folder + "/weights.o")) objects.push_back(folder + "/weights.o");
  }
  const std::string program = folder_ + "/" + name;
  const ProcessResult r = harness_.link(driver_, names, objects, program);
  for (std::size_t i = 0; i < units.size() && r.ok(); ++i) {
    units[i]->program = program;
    units[i]->number = numbers[i];
  }
  if (r.ok()) return;
  if (units.size() == 1) {
    record(results[units[0]->test], CaseStatus::compile_error, first_error_line(r.output));
    return;
  }
  for (Unit* unit : units) link_units({unit}, fmt::format("run{}", unit->index), results);
}

void Batch::link(std::vector<CaseResult>& results) {
  const std::vector<Unit*> units = compiled_units();
  if (!units.empty()) link_units(units, "run", results);
}

constexpr double kRounding = 1.001;  // of the products of quanta and their scale

Tolerance Batch::given_tolerance() const {
  return {options_.rtol, options_.atol, options_.scaled, options_.compile.selftest_quanta};
}

void Batch::compare_outputs(const Unit& unit, const std::vector<DataValue>& got,
                            const Recorded& data, CaseResult& result) const {
  if (data.outputs.empty()) return record(result, CaseStatus::mismatch, "no expected values");
  if (data.outputs.size() > got.size()) {
    return record(result, CaseStatus::mismatch,
                  fmt::format("{} outputs, want {}", got.size(), data.outputs.size()));
  }
  for (std::size_t i = 0; i < data.outputs.size(); ++i) {
    Tolerance tolerance = tolerance_of(cases_[unit.test], given_tolerance());
    const Port& port = unit.generated.outputs[i];
    if (port.scale && is_float(port.elem))
      tolerance.atol +=
          options_.compile.selftest_quanta * static_cast<double>(port.scale->scale) * kRounding;
    const Comparison c = compare(got[i], data.outputs[i], tolerance);
    result.max_abs = std::max(result.max_abs, c.max_abs);
    result.max_rel = std::max(result.max_rel, c.max_rel);
    if (!c.match) {
      record(result, CaseStatus::mismatch,
             fmt::format("output {} '{}': {}", i, unit.generated.outputs[i].name, c.message));
    }
  }
}

// Runs one function of a unit. Returns the values that it wrote.
std::optional<std::string> Batch::execute(const Unit& unit, std::size_t function,
                                          const std::string& input_bytes, CaseResult& result) {
  const std::string inputs = unit.folder + "/inputs", outputs = unit.folder + "/outputs";
  const auto fail = [&](CaseStatus status, const std::string& message) {
    record(result, status, message);
    return std::nullopt;
  };
  write_file(inputs, input_bytes + unit.weights);
  std::vector<std::string> command = split_words(options_.run_with);
  const std::string number = std::to_string(unit.number + static_cast<int>(function));
  command.insert(command.end(), {unit.program, number, inputs, outputs});
  if (options_.allocation_faults > 0) command.push_back(std::to_string(options_.allocation_faults));
  const ProcessResult r = run_process(command, options_.timeout);
  if (r.timed_out) return fail(CaseStatus::timeout, "the run takes too long");
  if (r.signal != 0) return fail(CaseStatus::crash, platform::signal_text(r.signal));
  if (!r.ok())
    return fail(CaseStatus::crash,
                fmt::format("exit code {}: {}", r.exit_code, first_error_line(r.output)));
  const std::string bytes = read_file(outputs);
  double header[2] = {};
  std::memcpy(header, bytes.data(), std::min(sizeof header, bytes.size()));
  convert_order(header, sizeof header, sizeof header[0], order_);
  result.ms += header[1];
  if (header[0] != 0)
    return fail(CaseStatus::mismatch,
                fmt::format("the run ends with {}", status_name(static_cast<int>(header[0]))));
  return bytes.substr(std::min(sizeof header, bytes.size()));
}

void Batch::run_unit(const Unit& unit, std::size_t set, CaseResult& result) {
  const Recorded& data = unit.data[set];
  const std::vector<Port>& outputs = unit.generated.outputs;
  const auto written = execute(unit, 0, pack_inputs(data, unit.generated.inputs, order_), result);
  if (!written) return;
  const std::vector<DataValue> values = unpack_outputs(*written, outputs, order_);
  if (options_.record) return write_outputs(unit.folders[set], values, outputs);
  compare_outputs(unit, values, data, result);
}

void Batch::run_training(const Unit& unit, CaseResult& result) {
  const Tolerance tolerance = tolerance_of(cases_[unit.test], given_tolerance());
  const auto run = [&](std::size_t function, const std::string& inputs) {
    return execute(unit, function, inputs, result);
  };
  verify_training(unit.training, unit.generated, tolerance, order_, run, result);
}

void Batch::run(std::size_t test, CaseResult& result) {
  for (const Unit& unit : units_) {
    if (unit.test != test || unit.program.empty()) continue;
    try {
      for (std::size_t set = 0; set < unit.data.size(); ++set) run_unit(unit, set, result);
      if (!unit.training.empty()) run_training(unit, result);
    } catch (const std::exception& e) {
      record(result, CaseStatus::mismatch, e.what());
    }
    if (!options_.keep.empty()) continue;
    std::error_code ignored;
    fs::remove(unit.folder + "/inputs", ignored);
    fs::remove(unit.folder + "/outputs", ignored);
  }
}

}  // namespace

void record(CaseResult& result, CaseStatus status, const std::string& message) {
  if (result.status != CaseStatus::pass || status == CaseStatus::pass) return;
  result.status = status;
  result.message = one_line(message);
}

const char* status_name(CaseStatus status) {
  static constexpr const char* kNames[] = {"pass",          "mismatch", "refused",
                                           "compile-error", "crash",    "timeout"};
  return kNames[static_cast<int>(status)];
}

void verify_batch(const std::vector<TestCase>& cases, const std::vector<std::size_t>& indices,
                  const VerifyOptions& options, const HarnessFolder& harness,
                  const std::string& driver, const std::string& folder, const BatchEvents& events) {
  std::vector<CaseResult> results(cases.size());
  Batch batch(cases, options, harness, driver, folder);
  for (std::size_t i : indices) {
    events.begin(i);
    batch.generate(i, results[i]);
  }
  batch.compile(results);
  batch.link(results);
  for (std::size_t i : indices) {
    events.begin(i);
    batch.run(i, results[i]);
    events.end(i, results[i]);
  }
}

}  // namespace onnxc
