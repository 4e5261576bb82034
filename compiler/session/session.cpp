// The stages up to the emitter: load, partition, lower.
#include "compiler/session/session.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/devices/part.hpp"
#include "compiler/devices/resolve.hpp"
#include "compiler/emit/run_steps.hpp"
#include "compiler/ir/size_names.hpp"
#include "compiler/onnx/read/probes.hpp"
#include "compiler/schedule/pipeline.hpp"
#include "compiler/schedule/schedule.hpp"
#include "compiler/support/checked.hpp"
#include "compiler/support/target.hpp"

namespace onnxc {
namespace {

Target target_of(const CompileOptions& options) {
  Target target = make_target(options.target);
  if (options.optimize_size) target.gemm_rows = std::min(target.gemm_rows, 4);
  target.small_memory = target.small_memory || options.small_memory || !options.input_rows.empty();
  return target;
}

// Of --dim, those that this graph has: the inference graph gets the rest, and reports it.
CompileOptions options_of_entry(const Graph& graph, const CompileOptions& options) {
  CompileOptions own = options;
  own.input_shapes.clear();
  std::erase_if(own.dims, [&](const auto& entry) { return !find_size(graph, entry.first); });
  return own;
}

// The dimensions that only training graphs have are none of the inference graph's. Those of a
// device's part are bound already.
CompileOptions options_of_inference(const Model& model, const CompileOptions& options) {
  CompileOptions own = options;
  if (model.device) {
    own.dims.clear();
    own.input_shapes.clear();
  }
  const CompileOptions known = options_of_entry(model.graph, options);
  for (const auto& entry : model.entries)
    for (const auto& [name, range] : options_of_entry(entry->graph, options).dims)
      if (!known.dims.count(name)) own.dims.erase(name);
  return own;
}

// Types of every graph of the model, and the checks that need no more than types; the checks run
// after errors, too.
void infer(Model& model, const CompileOptions& options, Diagnostics& diagnostics) {
  const Target target = target_of(options);
  const auto infer_graph = [&](Graph& graph, const CompileOptions& own) {
    PassContext context{own, target, diagnostics};
    run_inference(graph, context);
    devices::resolve(graph, options.devices, diagnostics);
  };
  try {
    infer_graph(model.graph, options_of_inference(model, options));
    for (const auto& entry : model.entries)
      infer_graph(entry->graph, options_of_entry(entry->graph, options));
  } catch (const OverflowError& e) {
    diagnostics.error("overflow", "", e.what());
  }
}

std::set<std::string> names_of(const std::map<std::string, std::string>& operators) {
  std::set<std::string> names;
  for (const auto& [name, header] : operators) names.insert(name);
  return names;
}

}  // namespace

ImportOptions import_options(const CompileOptions& options) {
  return {.overridden_initializers = options.overridden_initializers,
          .fixed_inputs = options.fixed_inputs,
          .training = options.train,
          .devices = options.devices,
          .input_formats = options.input_formats,
          .user_operators = names_of(options.operators),
          .outputs = options.outputs,
          .probes = options.probes,
          .lint = options.lint,
          .limits = options.limits};
}

ModelFile open_model(const CompileOptions& options, Diagnostics& diagnostics) {
  return read_model_file(options.model, diagnostics, options.limits.depth);
}

std::unique_ptr<Model> load(const ModelFile& file, const CompileOptions& options,
                            Diagnostics& diagnostics) {
  // Subgraphs point at their parent graphs, so the model is made in its place.
  std::unique_ptr<Model> model(new Model(import_model(file, diagnostics, import_options(options))));
  infer(*model, options, diagnostics);
  drop_unreadable_probes(model->graph, diagnostics);
  return model;
}

std::unique_ptr<Model> load(const CompileOptions& options, Diagnostics& diagnostics) {
  return load(open_model(options, diagnostics), options, diagnostics);
}

void expand_gradients(Model& model, const CompileOptions& options, Diagnostics& diagnostics) {
  const Target target = target_of(options);
  PassContext context{options, target, diagnostics};
  run_differentiation(model.graph, context);
}

std::vector<std::unique_ptr<Model>> partition(Model& model, const CompileOptions& options,
                                              Diagnostics& diagnostics) {
  if (options.train) diagnostics.error("devices", "--devices", "a model trains on one device");
  if (diagnostics.has_errors()) return {};
  const auto* configuration = devices::find_configuration(model, options.devices, diagnostics);
  if (configuration && options.device >= configuration->count)
    diagnostics.error(
        "devices", "--device",
        fmt::format("the configuration has the devices 0 to {}", configuration->count - 1));
  if (!diagnostics.has_errors()) expand_gradients(model, options, diagnostics);
  if (diagnostics.has_errors()) return {};
  auto parts = devices::make_parts(model, *configuration, options.device, diagnostics);
  for (const auto& part : parts) infer(*part, options, diagnostics);
  return parts;
}

std::vector<std::unique_ptr<Model>> models_to_lower(std::unique_ptr<Model> model,
                                                    const CompileOptions& options,
                                                    Diagnostics& diagnostics) {
  std::vector<std::unique_ptr<Model>> models;
  if (diagnostics.has_errors()) return models;
  if (!options.devices.empty()) return partition(*model, options, diagnostics);
  models.push_back(std::move(model));
  return models;
}

CompileOptions options_of_device(const CompileOptions& options, int device) {
  CompileOptions own = options;
  own.device = device;
  own.name = fmt::format("{}_{}", options.name, device);
  own.output_base = fmt::format("{}_{}", options.output_base, device);
  return own;
}

namespace {

void check_options(const Model& model, const CompileOptions& options, Diagnostics& diagnostics) {
  if (options.train && !options.memory.empty())
    diagnostics.error("memory", "--memory", "a model that trains has one arena");
  if (!options.input_rows.empty() && (options.train || model.device))
    diagnostics.error("input-rows", "--input-rows",
                      "a model that trains, or of several devices, has whole inputs");
}

// `entry`: the one that the graph belongs to; null for the inference graph.
Program lower_function(Compilation& c, TrainingEntry* entry, const CompileOptions& options,
                       Diagnostics& diagnostics) {
  Graph& graph = entry ? entry->graph : c.model->graph;
  PassContext context{options, c.target, diagnostics, entry ? nullptr : &c.ports};
  run_rewrites(graph, context);
  if (diagnostics.has_errors()) return {};
  if (entry) order_updates(*entry);
  // There is no pool and no allocator to give to an initialization.
  const bool init = entry && entry->kind == TrainingEntry::Kind::initialization;
  ScheduleContext schedule{options, c.target, diagnostics};
  schedule.threads = init ? 1 : options.threads;
  schedule.first_number = pipeline().size();
  schedule.inference = !entry;
  const auto lower = [&] {
    Program made = lower_graph(graph, options, c.target, diagnostics, c.model->state, entry);
    if (!diagnostics.has_errors()) run_schedule(made, schedule);
    return made;
  };
  Program program = lower();
  if (diagnostics.has_errors()) return program;
  if (entry && !init && options.recompute && recompute(entry->graph) > 0) {
    Program smaller = lower();
    if (smaller.arena_bytes < program.arena_bytes) program = std::move(smaller);
  }
  if (c.model->device) check_exchanges(program, c.model->device->exchanges);
  if (!options.profile && !options.plain) outline_functions(program, c.model->calls);
  if (options.no_heap || init) refuse_heap(program, graph, diagnostics);
  if (options.steps && !entry) refuse_steps(program, diagnostics);
  return program;
}

Program lower_reset(const Compilation& c, Diagnostics& diagnostics) {
  Program reset = reset_program(c.model->state, c.target.alignment);
  // Of a few copies: no pass of interest to who looks at passes.
  CompileOptions silent = c.options;
  silent.dump_ir.clear();
  silent.verbosity = 0;
  ScheduleContext context{silent, c.target, diagnostics};
  context.inference = false;
  run_schedule(reset, context);
  return reset;
}

// The programs besides run(), in the order in which they are printed.
void lower_training(Compilation& c, Diagnostics& diagnostics) {
  if (diagnostics.has_errors()) return;
  c.training.push_back({EmitContext::Kind::reset, nullptr, lower_reset(c, diagnostics)});
  for (auto& entry : c.model->entries) {
    const bool init = entry->kind == TrainingEntry::Kind::initialization;
    c.training.push_back(
        {init ? EmitContext::Kind::init : EmitContext::Kind::train, entry.get(),
         lower_function(c, entry.get(), options_of_entry(entry->graph, c.options), diagnostics)});
  }
}

}  // namespace

std::unique_ptr<Compilation> lower(std::unique_ptr<Model> model, const CompileOptions& options,
                                   Diagnostics& diagnostics) {
  auto c =
      std::make_unique<Compilation>(Compilation{options, target_of(options), std::move(model)});
  check_options(*c->model, options, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  try {
    lay_out_state(c->model->state, diagnostics);
    c->inference =
        lower_function(*c, nullptr, options_of_inference(*c->model, options), diagnostics);
    if (options.train) lower_training(*c, diagnostics);
  } catch (const OverflowError& e) {
    diagnostics.error("overflow", "", e.what());
  }
  if (diagnostics.has_errors()) return nullptr;
  return c;
}

CompileResult compile(const ModelFile& file, const CompileOptions& options,
                      Diagnostics& diagnostics) {
  CompileOptions one = options;
  one.device = std::max(0, options.device);
  auto models = models_to_lower(load(file, options, diagnostics), one, diagnostics);
  if (diagnostics.has_errors()) return {};
  const auto compilation = lower(std::move(models.front()), options, diagnostics);
  return compilation ? emit(*compilation, diagnostics) : CompileResult();
}

CompileResult compile(const CompileOptions& options, Diagnostics& diagnostics) {
  return compile(open_model(options, diagnostics), options, diagnostics);
}

}  // namespace onnxc
