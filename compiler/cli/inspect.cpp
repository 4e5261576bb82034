// Prints the contents of a model.
#include "compiler/cli/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <utility>

#include "compiler/cli/inspection.hpp"
#include "compiler/cli/tradeoff.hpp"
#include "compiler/interface/figures.hpp"
#include "compiler/ir/size_names.hpp"
#include "compiler/products/report/graph_picture.hpp"
#include "compiler/support/limits.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {
namespace {

std::string operator_title(const OperatorUse& use) {
  const std::string q = quoted(use.domain.empty() ? use.name : use.domain + "." + use.name);
  return q.substr(1, q.size() - 2);
}

std::string work_figure(const Demand& d) {
  if (d.compiled) return work_text(*d.compiled);
  return (d.work.complete ? "" : "at least ") + macs_text(d.work.macs, d.max_macs);
}

void print_ports(const Inspection& i, const char* title, const std::vector<Value*>& values) {
  terminal::print(stdout, "{}\n", title);
  for (const Value* v : values) {
    const Port::Scale* const s = scale_of(i, *v);
    const std::string scale =
        s ? fmt::format("  real = (integer - {}) * {}", s->zero_point, s->scale) : "";
    terminal::print(stdout, "  {}  {}{}\n", quoted(v->name), v->type.to_string(), scale);
  }
}

// Texts of the model, which may have several lines.
void print_texts(const Model& model) {
  if (!model.doc.empty()) terminal::print(stdout, "doc         {}\n", quoted(model.doc));
  for (const auto& [key, value] : model.metadata)
    terminal::print(stdout, "metadata    {} = {}\n", quoted(key), quoted(value));
}

std::string denotation_text(const Denotation& d) {
  std::string dims;
  for (const std::string& dim : d.dims)
    dims += (dims.empty() ? "" : ", ") + (dim.empty() ? "-" : quoted(dim));
  const std::string type = d.type.empty() ? "" : " " + quoted(d.type);
  return quoted(d.port) + type + (dims.empty() ? "" : " [" + dims + "]");
}

void print_identity(const Inspection& i) {
  if (!i.model.domain.empty()) terminal::print(stdout, "domain      {}\n", quoted(i.model.domain));
  if (i.stats.model_version != 0)
    terminal::print(stdout, "version     {}\n", i.stats.model_version);
  if (!i.stats.graph_name.empty())
    terminal::print(stdout, "graph       {}\n", quoted(i.stats.graph_name));
  if (!i.stats.graph_doc.empty())
    terminal::print(stdout, "graph doc   {}\n", quoted(i.stats.graph_doc));
  for (const Denotation& d : i.stats.denotations)
    terminal::print(stdout, "denotation  {}\n", denotation_text(d));
}

void print_operators(const ModelStats& model_stats) {
  terminal::print(stdout, "operators ({})\n",
                  terminal::counted(static_cast<std::size_t>(model_stats.nodes), "node"));
  for (const OperatorUse& use : model_stats.operators) {
    const std::string version = use.version > 0 ? fmt::format("-{}", use.version) : "";
    std::string state = use.is_function ? "function" : use.supported ? "ok" : "unsupported";
    if (!use.note.empty()) state += (use.supported ? ", except " : ": ") + use.note;
    terminal::print(stdout, "  {:>6}  {:<32} {}\n", use.count, operator_title(use) + version,
                    state);
  }
}

void print_training(const Model* training) {
  if (!training) return;
  terminal::print(stdout, "state\n");
  for (const StateVariable& v : training->state.variables)
    terminal::print(stdout, "  {}  {}\n", quoted(v.name), type_text(v.initial));
  const std::vector<const Value*> frozen = frozen_weights(*training);
  if (!frozen.empty()) terminal::print(stdout, "frozen\n");
  for (const Value* v : frozen)
    terminal::print(stdout, "  {}  {}\n", quoted(v->name), v->type.to_string());
  for (const auto& entry : training->entries) {
    terminal::print(stdout, "{} of training_info {}\n", binding_name(*entry), entry->info);
    each_binding(*training, *entry, [](const std::string& key, const std::string& value) {
      terminal::print(stdout, "  {} <- {}\n", quoted(key), quoted(value));
    });
  }
}

// " (\"left\", \"right\")", or nothing.
std::string names_of(const DeviceConfiguration& c) {
  std::string names;
  for (const std::string& name : c.devices) names += (names.empty() ? "" : ", ") + quoted(name);
  return names.empty() ? "" : " (" + names + ")";
}

// "about 5.00 MiB * batch", or why there is no figure.
std::string heap_figure(const CompileResult& r) {
  return r.heap_bytes ? bytes_text(*r.heap_bytes) : "unbounded";
}

void print_demand(const Demand& demand) {
  if (demand.compiled) {
    const CompileResult& r = *demand.compiled;
    terminal::print(stdout, "memory      weights {}, arena {}{}\n", bytes_text(r.weight_bytes),
                    bytes_text(r.arena_bytes),
                    r.facts.heap ? ", heap " + heap_figure(r) : std::string());
    if (r.training)
      terminal::print(stdout, "training    state {}, arena {}\n",
                      bytes_text(r.training->state_bytes), bytes_text(r.training->arena_bytes));
    if (!r.peak_step.empty())
      terminal::print(stdout, "peak        {} in use at {}\n", bytes_text(r.peak_bytes),
                      quoted(r.peak_step));
    terminal::print(stdout, "code        {}{}{}\n", r.costs.measured() ? "" : "about ",
                    bytes_text(r.costs.code_bytes),
                    r.costs.measured()
                        ? ""
                        : fmt::format(" (at most {})", bytes_text(r.costs.code_bytes_at_most)));
  }
}

void print_text(const Inspection& i, bool with_layers) {
  const Model& model = i.model;
  terminal::print(stdout, "model       {}\n", quoted(model.path));
  terminal::print(stdout, "sha256      {}\n", model.sha256);
  terminal::print(stdout, "ir version  {}\n", model.ir_version);
  if (!model.producer.empty())
    terminal::print(stdout, "producer    {}{}\n", quoted(model.producer),
                    model.producer_version.empty() ? "" : " " + quoted(model.producer_version));
  for (const auto& [domain, version] : model.opset_imports)
    terminal::print(stdout, "opset       {} {}\n", quoted(domain.empty() ? "ai.onnx" : domain),
                    version);
  print_texts(model);
  print_identity(i);
  for (const DeviceConfiguration& c : model.configurations)
    terminal::print(stdout, "devices     {}: {}{}\n", quoted(c.name), c.count, names_of(c));
  print_ports(i, "inputs", model.graph.inputs);
  print_ports(i, "outputs", model.graph.outputs);
  std::vector<std::string> dims = dynamic_dims(model.graph);
  for (std::string& name : dims) name = name_of_symbol(name);
  if (!dims.empty())
    terminal::print(stdout, "dynamic dims {}\n", fmt::format("{}", fmt::join(dims, ", ")));
  terminal::print(stdout, "parameters  {} in {}, {} bytes\n", i.stats.parameters,
                  terminal::counted(static_cast<std::size_t>(i.stats.initializers), "initializer"),
                  i.stats.parameter_bytes);
  terminal::print(stdout, "work        {}\n", work_figure(i.demand));
  print_demand(i.demand);
  for (const std::string& hint : hints(i)) terminal::print(stdout, "hint        {}\n", hint);
  print_operators(i.stats);
  if (with_layers) {
    terminal::print(stdout, "layers\n");
    print_layers(i.layers);
  }
  print_training(i.training.get());
  i.diagnostics.print(model.path, stdout);
}

int show_tradeoff(const Model& model, const InspectOptions& options, Diagnostics& diagnostics) {
  CompileOptions o = options.compile;
  o.output_base = o.name = "model";
  std::vector<Alternative> list;
  if (!diagnostics.has_errors()) list = tradeoff(model, o, true, diagnostics);
  diagnostics.print(o.model, stderr);
  if (diagnostics.has_errors()) return exit_code::bad_model;
  if (options.form == InspectForm::json)
    terminal::print_document(stdout, tradeoff_as_json(list, o));
  else
    print_tradeoff(list, o);
  return exit_code::ok;
}

}  // namespace

int run_inspect(const InspectOptions& options) {
  const std::string& path = options.compile.model;
  const ProcessLimits process_limits{options.compile.limits};
  Diagnostics diagnostics;
  const ModelFile file = open_model(options.compile, diagnostics);
  ModelStats stats = model_stats_of(file);
  if (!stats.readable) {
    diagnostics.print(path, stderr);
    return exit_code::bad_model;
  }
  const auto loaded = load(file, options.compile, diagnostics);
  const Model& model = *loaded;
  if (options.form == InspectForm::dot || options.form == InspectForm::svg ||
      options.form == InspectForm::nodes) {
    diagnostics.print(path, stderr);
    const Graph& graph = model.graph;
    terminal::print_document(stdout, options.form == InspectForm::nodes ? node_list(graph)
                                     : options.form == InspectForm::dot ? graph_as_dot(graph)
                                                                        : graph_as_svg(graph));
    return exit_code::ok;
  }
  if (options.tradeoff) return show_tradeoff(model, options, diagnostics);
  const Inspection i =
      inspect(file, model, std::move(stats), std::move(diagnostics), options.compile);
  if (options.form == InspectForm::json)
    terminal::print_document(stdout, inspection_as_json(i, options.layers));
  else
    print_text(i, options.layers);
  return exit_code::ok;
}

}  // namespace onnxc
