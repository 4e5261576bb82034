// The last stage: names, weights and figures of the programs, and the files.
#include <algorithm>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include "compiler/emit/emit.hpp"
#include "compiler/emit/run_steps.hpp"
#include "compiler/emit/self_test.hpp"
#include "compiler/emit/tensor_list.hpp"
#include "compiler/interface/figures.hpp"
#include "compiler/interface/names.hpp"
#include "compiler/ir/nesting.hpp"
#include "compiler/products/product.hpp"
#include "compiler/schedule/instructions.hpp"
#include "compiler/schedule/schedule.hpp"
#include "compiler/session/session.hpp"

namespace onnxc {
namespace {

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
EmitContext make_context(const Compilation& compilation, const std::string& base) {
  const CompileOptions& options = compilation.options;
  const Model& model = *compilation.model;
  const Program& program = compilation.inference;
  EmitContext c{.model = model,
                .program = program,
                .target = compilation.target,
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

// Options that are about what this model does not have, or that its interface has no room for.
void check_names_and_ports(const EmitContext& c, const PortFacts& facts, Diagnostics& diagnostics) {
  const CompileOptions& options = c.options;
  if (options.quantized_io && facts.scales.empty())
    diagnostics.error("io", "--io", "the model quantises none of its inputs and outputs at once");
  if (options.zipmap_tensors && facts.labels.empty())
    diagnostics.error("zipmap", "--zipmap", "no output of the model comes from a ZipMap");
  for (const MemoryRegion& m : options.memory)
    if (is_interface_word(c.name, m.name))
      diagnostics.error("memory", "--memory", fmt::format("{} is a word of the interface", m.name));
}

// What users would not expect of the options that they gave.
void note_surprises(const EmitContext& c, Diagnostics& diagnostics) {
  const auto is_empty = [](const Port& p) { return !p.is_object() && p.elements == 0; };
  if (!c.options.dims.empty() && !c.outputs.empty() &&
      std::all_of(c.outputs.begin(), c.outputs.end(), is_empty))
    diagnostics.warning("empty-outputs", "", "with the sizes of --dim all outputs are empty");
  if (c.options.weights == WeightsMode::automatic && c.weights.mode == WeightsMode::external)
    diagnostics.note("weights", "",
                     fmt::format("weights of {} stay in {}_weights.bin, which the caller maps for "
                                 "run(); --weights incbin makes them a part of the program",
                                 bytes_text(c.weights.data_bytes), c.stem.text()));
}

// The attributes of an operator of the user are members of a struct, and its header is a file next
// to the others.
void check_user_operators(const EmitContext& c, Diagnostics& diagnostics) {
  for (const Step& step : c.program.steps) {
    const bool own = std::any_of(step.args.begin(), step.args.end(), [](const Arg& arg) {
      return std::holds_alternative<UserFunctionArg>(arg.value);
    });
    for (const Param& p : step.params)
      if (own && (is_reserved(p.name) || identifier_from(p.name).text() != p.name))
        diagnostics.error("bad-attribute",
                          fmt::format("{}, attribute {}", step.title, quoted(p.name)),
                          "cannot be the name of a member in C++");
  }
  std::set<std::string> taken = {c.stem.text() + ".h", c.stem.text() + ".cpp", "onnxc_runtime.hpp"};
  for (const auto& [path, name] : user_headers(c))
    if (!taken.insert(name).second || name.find_first_of("\"\\\n") != std::string::npos)
      diagnostics.error(
          "bad-input", "--operator",
          fmt::format("{}: the code cannot have a header {} of the user", path, name));
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
  if (run.weights.mode == WeightsMode::external) run.weights.add_header(programs, run.model.sha256);
  for (EmitContext& c : training.functions) {
    c.reserved = run.reserved;
    c.weights = run.weights;
  }
}

void emit_all(EmitContext& context, CompileResult& r) {
  r.files = emit_files(context, r.base);
  std::vector<GeneratedFile> more;
  for (const Product* product : all_products())
    if (product->wanted(context.options))
      for (GeneratedFile& f : product->files({context, r.base, r.files, r.model_files}))
        more.push_back(std::move(f));
  std::move(more.begin(), more.end(), std::back_inserter(r.files));
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
  r.facts = facts_of(context);
  r.constants = constants_of(context);
  r.device = context.model.device;
  if (context.training) describe_training(*context.training, r);
  r.arena_bytes = program.arena_bytes;
  r.arena_lower_bound = program.lower_bound;
  r.weight_bytes = context.weights.data_bytes;
  r.macs = context.macs;
  if (const auto estimate = InstructionEstimate::of(context.target)) {
    r.instructions = estimate->program(program);
    if (const auto cycles = estimate->program_cycles(program)) r.cycles = cycles->cycles;
  }
  r.max_macs = program.at_most(context.macs);
  r.one_round = has_work_of_unknown_rounds(program);
  r.heap_bytes = heap_bytes(program);
  r.symbols = program.symbols;
  find_peak(program, r);
  r.steps = describe_steps(program);
}

Costs estimate_of(const Compilation& c) {
  std::vector<const Program*> programs = {&c.inference};
  for (const EntryProgram& entry : c.training) programs.push_back(&entry.program);
  return estimate_costs(programs, c.target, c.options.optimize_size);
}

}  // namespace

std::int64_t ram_bytes(const CompileResult& r) {
  const std::int64_t stack = r.costs.stack_bytes.value_or(0);
  if (!r.training) return r.arena_bytes + stack;
  return std::max(r.arena_bytes, r.training->arena_bytes) + r.training->state_bytes + stack;
}

std::string work_text(const CompileResult& r) {
  return macs_text(r.macs, r.max_macs) + (r.one_round ? " with one round of each loop" : "");
}

std::int64_t flash_bytes(const CompileResult& r) {
  return r.weight_bytes + r.selftest_bytes + r.costs.code_bytes;
}

std::int64_t flash_bytes_at_most(const CompileResult& r) {
  return flash_bytes(r) - r.costs.code_bytes + r.costs.code_bytes_at_most;
}

bool uses_any_heap(const CompileResult& r) {
  return r.facts.heap || (r.training && r.training->all.uses_heap);
}

CompileResult emit(const Compilation& c, Diagnostics& diagnostics, const Costs* measured,
                   const Profile* profile) {
  CompileResult r;
  r.base = base_of(c.options);
  EmitContext context = make_context(c, r.base);
  add_facts(context, c.ports);
  check_names_and_ports(context, c.ports, diagnostics);
  if (diagnostics.has_errors()) return r;
  TrainingContext training{c.model->state, {}, {}, {}, {}};
  if (c.options.train) add_training(context, training, c.training);
  SelfTest test;
  if (!c.options.selftest.empty()) {
    test = read_self_test(c.options.selftest, context, diagnostics);
    if (diagnostics.has_errors()) return r;
    context.self_test = &test;
    r.selftest_bytes = test.bytes();
  }
  check_user_operators(context, diagnostics);
  if (diagnostics.has_errors()) return r;
  share_source(context, training);
  note_surprises(context, diagnostics);
  r.costs = measured ? *measured : estimate_of(c);
  context.costs = &r.costs;
  add_profile(context, training, profile);
  describe_result(context, r);
  r.model_files = c.model->files;
  for (const auto& [path, name] : user_headers(context)) r.model_files.push_back(path);
  if (c.options.model != "-") r.model_files.insert(r.model_files.begin(), c.options.model);
  emit_all(context, r);
  return r;
}

}  // namespace onnxc
