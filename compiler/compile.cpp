// The pipeline: import, passes, schedule, emit.
#include "compiler/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "compiler/devices/part.hpp"
#include "compiler/emit/dependency_file.hpp"
#include "compiler/emit/emit.hpp"
#include "compiler/emit/figures.hpp"
#include "compiler/emit/names.hpp"
#include "compiler/emit/run_steps.hpp"
#include "compiler/emit/self_test.hpp"
#include "compiler/emit/tensor_list.hpp"
#include "compiler/emit/training_context.hpp"
#include "compiler/emit/writer.hpp"
#include "compiler/ir/size_names.hpp"
#include "compiler/onnx/read/import.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/products/bundle.hpp"
#include "compiler/schedule/pipeline.hpp"
#include "compiler/schedule/schedule.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

// `entry`: the one that the graph belongs to; null for the inference graph.
Program build_program(Model& model, TrainingEntry* entry, const CompileOptions& options,
                      const Target& target, Diagnostics& diagnostics, PortFacts* ports = nullptr) {
  Graph& graph = entry ? entry->graph : model.graph;
  PassContext context{options, target, diagnostics, ports};
  run_pipeline(graph, context);
  if (diagnostics.has_errors()) return {};
  if (entry) order_updates(*entry);
  // There is no pool and no allocator to give to an initialization.
  const bool init = entry && entry->kind == TrainingEntry::Kind::initialization;
  ScheduleContext schedule{options, target, diagnostics};
  schedule.threads = init ? 1 : options.threads;
  schedule.first_number = pipeline().size();
  schedule.inference = !entry;
  const auto lower = [&] {
    Program made = lower_graph(graph, options, target, diagnostics, model.state, entry);
    if (!diagnostics.has_errors()) run_schedule(made, schedule);
    return made;
  };
  Program program = lower();
  if (diagnostics.has_errors()) return program;
  if (entry && !init && options.recompute && recompute(*entry) > 0) {
    Program smaller = lower();
    if (smaller.arena_bytes < program.arena_bytes) program = std::move(smaller);
  }
  if (model.device) check_exchanges(program, model.device->exchanges);
  if (!options.profile && !options.plain) outline_functions(program, model.calls);
  if (options.no_heap || init) refuse_heap(program, graph, diagnostics);
  if (options.steps && !entry) refuse_steps(program, diagnostics);
  return program;
}

// Of --dim, those that this graph has: the inference graph gets the rest, and reports it.
CompileOptions options_for(const Graph& graph, const CompileOptions& options) {
  CompileOptions own = options;
  own.input_shapes.clear();
  std::erase_if(own.dims, [&](const auto& entry) { return !find_size(graph, entry.first); });
  return own;
}

// The dimensions that only training graphs have are none of the inference graph's.
CompileOptions options_for_run(const Model& model, const CompileOptions& options) {
  CompileOptions own = options;
  const CompileOptions known = options_for(model.graph, options);
  for (const auto& entry : model.entries)
    for (const auto& [name, range] : options_for(entry->graph, options).dims)
      if (!known.dims.count(name)) own.dims.erase(name);
  return own;
}

// The programs besides run(), in the order in which they are printed.
std::vector<EntryProgram> build_training(Model& model, const CompileOptions& options,
                                         const Target& target, Diagnostics& diagnostics) {
  std::vector<EntryProgram> programs;
  if (!diagnostics.has_errors()) {
    Program reset = reset_program(model.state, target.alignment);
    // Of a few copies: no pass of interest to who looks at passes.
    CompileOptions silent = options;
    silent.dump_ir.clear();
    silent.verbosity = 0;
    ScheduleContext context{silent, target, diagnostics};
    context.inference = false;
    run_schedule(reset, context);
    programs.push_back({EmitContext::Kind::reset, nullptr, std::move(reset)});
  }
  for (auto& entry : model.entries) {
    const bool init = entry->kind == TrainingEntry::Kind::initialization;
    programs.push_back({init ? EmitContext::Kind::init : EmitContext::Kind::train, entry.get(),
                        build_program(model, entry.get(), options_for(entry->graph, options),
                                      target, diagnostics)});
  }
  return programs;
}

// The name by which generated files include each other.
FileStem stem_of(const std::string& base) {
  const std::string name = std::filesystem::path(base).filename().string();
  const auto stem = FileStem::from(name);
  if (!stem)
    throw FatalError(exit_code::usage,
                     fmt::format("generated code cannot include '{}.h': choose a name of printable "
                                 "ASCII without \" \\ * ? with -o",
                                 name));
  return *stem;
}

// In a bundle all names are identifiers, whatever the model's file is called.
std::string base_of(const CompileOptions& o) {
  const std::string model = o.model == "-" ? "model" : o.model;  // standard input has no name
  const std::string base =
      o.output_base.empty() ? std::filesystem::path(model).stem().string() : o.output_base;
  if (o.bundle.empty()) return base;
  const std::string stem = std::filesystem::path(base).filename().string();
  return o.bundle + "/src/" + interface_prefix(o.name.empty() ? stem : o.name).text();
}

// Everything the emitters need; `base` is the path of the files without extensions.
EmitContext make_context(const Model& model, const Program& program, const Target& target,
                         const CompileOptions& options, const std::string& base) {
  EmitContext c{.model = model,
                .program = program,
                .target = target,
                .options = options,
                .stem = stem_of(base),
                .function = identifier_from("run")};
  c.name = interface_prefix(options.name.empty() ? c.stem.text() : options.name);
  c.name_space = options.name_space.empty() ? c.name.text() : options.name_space;
  auto reserved = interface_names(c.name);
  for (const ArenaRegion& r : program.regions) reserved.insert(r.name + "_");
  c.inputs = make_ports(model.graph.inputs, reserved);
  c.outputs = make_ports(model.graph.outputs, reserved);
  c.macs = total_macs(program);
  if (const auto rows = row_input(program))
    for (std::size_t i = 0; i < c.inputs.size(); ++i)
      if (program.inputs[i] == rows->input)
        c.inputs[i].rows = Port::Rows{rows->rows, rows->planes, rows->width};
  return c;
}

void add_facts(EmitContext& c, const PortFacts& facts) {
  for (const PortScale& s : facts.scales)
    for (Port& port : s.input ? c.inputs : c.outputs)
      if (port.name == s.port) port.scale = Port::Scale{s.scale, s.zero_point};
  for (const PortLabels& labels : facts.labels)
    for (Port& port : c.outputs)
      if (port.name == labels.port) port.labels = Port::Labels{labels.numbers, labels.texts};
}

// Options that are about what this model does not have.
void check_port_options(const CompileOptions& options, const PortFacts& facts,
                        Diagnostics& diagnostics) {
  if (options.quantized_io && facts.scales.empty())
    diagnostics.error("io", "--io", "the model quantises none of its inputs and outputs at once");
  if (options.zipmap_tensors && facts.labels.empty())
    diagnostics.error("zipmap", "--zipmap", "no output of the model comes from a ZipMap");
}

// Names and weights, which all functions of a source share.
void share_source(EmitContext& run, TrainingContext& training) {
  run.reserved = source_names(run);
  std::vector<const Program*> programs;
  each_function(run, [&](const EmitContext& c) { programs.push_back(&c.program); });
  run.weights = plan_weights(programs, run.options.weights, run.reserved);
  // Not every build system of a bundle passes the assembler the path of a file; that of WebAssembly
  // takes none.
  const bool large = run.options.weights == WeightsMode::automatic &&
                     run.weights.mode != WeightsMode::inline_arrays;
  const bool unknown_to_assembler =
      run.target.name == "wasm32" && run.weights.mode == WeightsMode::incbin;
  if (large && (!run.options.bundle.empty() || unknown_to_assembler))
    run.weights.mode = WeightsMode::string_literals;
  for (EmitContext& c : training.functions) {
    c.reserved = run.reserved;
    c.weights = run.weights;
  }
}

void emit_all(EmitContext& context, const CompileOptions& options, CompileResult& r) {
  r.files = emit_files(context, r.base);
  if (!options.bundle.empty())
    for (GeneratedFile& f : package_files(context, options.bundle)) r.files.push_back(std::move(f));
  for (const std::string& path : options.reports)
    r.files.push_back(
        {path, path.ends_with(".html") ? html_report(context) : json_report(context)});
  if (options.write_depfile)
    r.files.push_back({options.depfile.empty() ? r.base + ".d" : options.depfile,
                       dependency_rule(options.depends.empty() ? r.base + ".cpp" : options.depends,
                                       r.model_files)});
}

// As CompileResult::training_steps, of the first algorithm.
void add_profile(EmitContext& run, TrainingContext& training, const Profile* profile) {
  run.profile = run.training ? nullptr : profile;
  for (EmitContext& c : training.functions)
    if (c.kind == EmitContext::Kind::train) {
      c.profile = profile;
      return;
    }
}

void describe_training(const TrainingContext& training, CompileResult& r) {
  r.training = training_interface(training);
  for (const EmitContext& c : training.functions) {
    if (c.kind != EmitContext::Kind::train) continue;
    r.training_macs = r.training_macs + c.macs;
    if (r.training_steps.empty()) r.training_steps = describe_steps(c.program);
  }
}

void find_peak(const Program& program, CompileResult& r) {
  const std::vector<std::int64_t> bytes = occupied(program);
  const auto peak = std::max_element(bytes.begin(), bytes.end());
  if (peak == bytes.end() || *peak == 0) return;
  r.peak_step = program.steps[static_cast<std::size_t>(peak - bytes.begin())].name;
  r.peak_bytes = *peak;
}

void describe_result(const EmitContext& context, CompileResult& r) {
  const Program& program = context.program;
  r.name = context.name;
  r.inputs = context.inputs;
  r.outputs = context.outputs;
  r.uses_heap = program.uses_heap();
  r.has_pool = uses_pool(context);
  r.communicates = program.communicates();
  r.device = context.model.device;
  if (context.training) describe_training(*context.training, r);
  r.arena_bytes = program.arena_bytes;
  r.arena_lower_bound = program.lower_bound;
  r.weight_bytes = context.weights.data_bytes;
  r.macs = context.macs;
  r.max_macs = program.at_most(context.macs);
  r.heap_bytes = heap_bytes(program);
  r.symbols = program.symbols;
  find_peak(program, r);
  r.steps = describe_steps(program);
}

}  // namespace

std::int64_t ram_bytes(const CompileResult& r) {
  const std::int64_t stack = r.costs.stack_bytes.value_or(0);
  if (!r.training) return r.arena_bytes + stack;
  return std::max(r.arena_bytes, r.training->arena_bytes) + r.training->state_bytes + stack;
}

namespace {

// The options for a part: the dimensions are bound already.
CompileOptions options_for_part(const CompileOptions& options) {
  CompileOptions own = options;
  own.dims.clear();
  own.input_shapes.clear();
  return own;
}

// One device's part of the model, if the options ask for one. Null after errors.
std::unique_ptr<Model> part_of(Model& model, const CompileOptions& options, const Target& target,
                               Diagnostics& diagnostics) {
  auto part = std::make_unique<Model>();
  if (options.train) diagnostics.error("devices", "--devices", "a model trains on one device");
  PassContext context{options, target, diagnostics};
  if (diagnostics.has_errors()) return nullptr;
  run_checks(model.graph, context);
  if (diagnostics.has_errors()) return nullptr;
  const auto* configuration = devices::find_configuration(model, options.devices, diagnostics);
  if (!configuration) return nullptr;
  const int device = std::max(0, options.device);
  if (device >= configuration->count) {
    diagnostics.error(
        "devices", "--device",
        fmt::format("the configuration has the devices 0 to {}", configuration->count - 1));
    return nullptr;
  }
  devices::make_part(model, *configuration, device, *part, diagnostics);
  return diagnostics.has_errors() ? nullptr : std::move(part);
}

CompileResult compile_model(Model& model, const CompileOptions& options, const Target& target,
                            Diagnostics& diagnostics, const Costs* measured,
                            const Profile* profile);

}  // namespace

CompileResult compile(const CompileOptions& options, Diagnostics& diagnostics,
                      const Costs* measured, const Profile* profile) {
  Target target = make_target(options.target);
  if (options.optimize_size) target.gemm_rows = std::min(target.gemm_rows, 4);
  target.small_memory = target.small_memory || options.small_memory || !options.input_rows.empty();
  Model model = import_model(options.model, diagnostics,
                             {options.overridden_initializers, options.fixed_inputs, options.train,
                              options.devices, options.lint, options.limits});
  if (options.devices.empty()) {
    CompileResult r = compile_model(model, options, target, diagnostics, measured, profile);
    r.configurations = std::move(model.configurations);
    return r;
  }
  const auto part = part_of(model, options, target, diagnostics);
  if (!part) return {};
  return compile_model(*part, options_for_part(options), target, diagnostics, measured, profile);
}

namespace {

CompileResult compile_model(Model& model, const CompileOptions& options, const Target& target,
                            Diagnostics& diagnostics, const Costs* measured,
                            const Profile* profile) {
  CompileResult r;
  Program program;
  PortFacts ports;
  std::vector<EntryProgram> entries;
  try {
    if (options.train && !options.memory.empty())
      diagnostics.error("memory", "--memory", "a model that trains has one arena");
    if (!options.input_rows.empty() && (options.train || model.device))
      diagnostics.error("input-rows", "--input-rows",
                        "a model that trains, or of several devices, has whole inputs");
    if (!diagnostics.has_errors()) lay_out_state(model.state, diagnostics);
    program =
        build_program(model, nullptr, options_for_run(model, options), target, diagnostics, &ports);
    if (options.train) entries = build_training(model, options, target, diagnostics);
  } catch (const OverflowError& e) {
    diagnostics.error("overflow", "", e.what());
  }
  if (diagnostics.has_errors()) return r;
  r.base = base_of(options);
  EmitContext context = make_context(model, program, target, options, r.base);
  add_facts(context, ports);
  check_port_options(options, ports, diagnostics);
  for (const MemoryRegion& m : options.memory)
    if (is_interface_word(context.name, m.name))
      diagnostics.error("memory", "--memory", fmt::format("{} is a word of the interface", m.name));
  if (diagnostics.has_errors()) return r;
  TrainingContext training{model.state, {}, {}, {}, {}};
  if (options.train) add_training(context, training, entries);
  SelfTest test;
  if (!options.selftest.empty()) {
    test = read_self_test(options.selftest, context, diagnostics);
    if (diagnostics.has_errors()) return r;
    context.self_test = &test;
    r.selftest_bytes = test.bytes();
  }
  share_source(context, training);
  r.costs = measured ? *measured : estimate_costs(program, target, options.optimize_size);
  context.costs = &r.costs;
  add_profile(context, training, profile);
  describe_result(context, r);
  r.model_files = model.files;
  if (options.model != "-") r.model_files.insert(r.model_files.begin(), options.model);
  emit_all(context, options, r);
  return r;
}

}  // namespace

}  // namespace onnxc
