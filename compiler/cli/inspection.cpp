// Compiles a model to see what it takes, and counts what does not compile.
#include "compiler/cli/inspection.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/cli/budget.hpp"
#include "compiler/interface/figures.hpp"
#include "compiler/ir/clone.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/onnx/read/import.hpp"
#include "compiler/run/open_sizes.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

// An operator is not supported in this model where an error names one of its nodes.
void mark_refused(ModelStats& stats, const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    const std::optional<NodeName>& node = d.where.node();
    if (d.severity != Severity::error || !node) continue;
    for (OperatorUse& use : stats.operators) {
      const bool named = use.name == node->op_type && use.version == node->version &&
                         use.domain == (node->domain == "ai.onnx" ? "" : node->domain);
      if (!use.supported || !named) continue;
      use.supported = false;
      use.note = d.message;
    }
  }
}

MacCount count_macs(const Graph& graph);

void count_macs(const Node& node, MacCount& total) {
  if (node.op && node.op->macs) {
    try {
      const auto macs = node.op->macs(node);
      if (macs) total.macs = total.macs + *macs;
      total.complete = total.complete && macs;
    } catch (const OverflowError&) {
      total.complete = false;
    }
  }
  for (const auto& [name, attribute] : node.attributes)
    if (const auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute)) {
      const MacCount inside = count_macs(**body);
      if (!inside.macs.is(0) || !inside.complete) total.complete = false;
    }
}

MacCount count_macs(const Graph& graph) {
  MacCount total;
  for (const auto& node : graph.nodes) count_macs(*node, total);
  return total;
}

// Bytes of code of the model with these sizes; nullopt if they do not fit.
std::optional<std::int64_t> code_with(const ModelFile& file, CompileOptions options,
                                      const SizeValues& sizes) {
  for (const auto& [name, value] : sizes) options.dims[name] = {value, value};
  options.measure = false;
  Diagnostics diagnostics;
  const CompileResult r = compile(file, options, diagnostics);
  return diagnostics.has_errors() ? std::nullopt : std::optional(r.costs.code_bytes);
}

Demand demand_of(const ModelFile& file, CompileOptions options, const Model& model,
                 Diagnostics& diagnostics) {
  Demand d;
  d.open = open_sizes(model.graph, options);
  if (!d.open.empty()) d.examples = example_sizes(file, model, d.open, options);
  d.work = count_macs(model.graph);
  if (diagnostics.has_errors()) return d;
  options.output_base = options.name = "model";
  options.ram_limit = options.flash_limit = std::nullopt;
  Diagnostics again;
  CompileResult compiled;
  auto models = models_to_lower(copy_model(model), options, again);
  if (!models.empty()) compile_within_limits(std::move(models.front()), options, compiled, again);
  if (again.has_errors()) {
    for (const Diagnostic& p : again.all())
      if (p.severity == Severity::error) diagnostics.error(p.id, p.where, p.message);
    return d;
  }
  if (!d.open.empty() && !compiled.costs.measured())
    d.fixed_code = code_with(file, options, d.examples);
  d.work = {compiled.macs, !compiled.one_round};
  d.max_macs = compiled.max_macs;
  d.compiled = std::move(compiled);
  return d;
}

// The model as it would be trained. Null: it cannot be, or problems are reported elsewhere.
std::unique_ptr<Model> load_training(const ModelFile& file, const ModelStats& model_stats) {
  if (model_stats.training_graphs == 0) return nullptr;
  Diagnostics ignored;
  std::unique_ptr<Model> model(new Model(import_model(file, ignored, {.training = true})));
  return ignored.has_errors() ? nullptr : std::move(model);
}

// " and code of about 20.0 KiB, not 53.1 KiB", where that is less.
std::string saved_code(const Demand& d) {
  if (!d.fixed_code || !d.compiled || *d.fixed_code * 5 > d.compiled->costs.code_bytes * 4)
    return "";
  return fmt::format(" and code of about {}, not {}", bytes_text(*d.fixed_code),
                     bytes_text(d.compiled->costs.code_bytes));
}

}  // namespace

std::string type_text(const Tensor& t) {
  return Type::tensor(t.elem(), to_shape(t.dims())).to_string();
}

const char* binding_name(const TrainingEntry& entry) {
  return entry.kind == TrainingEntry::Kind::algorithm ? "update" : "initialization";
}

std::vector<const Value*> frozen_weights(const Model& model) {
  std::vector<const Value*> list;
  for (const auto& v : model.graph.values)
    if (v->constant && !v->producer && is_float(v->type.elem)) list.push_back(v.get());
  return list;
}

std::vector<std::string> hints(const Inspection& i) {
  std::vector<std::string> list;
  const std::vector<OpenSize>& open = i.demand.open;
  if (!open.empty())
    list.push_back(fmt::format("{}: {} {} a fixed size{}, --dim {}=1..8 a bound", are_open(open),
                               as_dim_options(open, i.demand.examples),
                               open.size() == 1 ? "gives it" : "give them", saved_code(i.demand),
                               open[0].name));
  if (i.stats.training_graphs > 0 && !(i.demand.compiled && i.demand.compiled->training))
    list.emplace_back("--train generates the code that trains it");
  const auto is_float_with_scale = [](const Port& p) { return p.scale && is_float(p.elem); };
  const auto quantises = [&](const std::vector<Port>& ports) {
    return std::any_of(ports.begin(), ports.end(), is_float_with_scale);
  };
  if (i.demand.compiled &&
      (quantises(i.demand.compiled->inputs) || quantises(i.demand.compiled->outputs)))
    list.emplace_back("--io int8 makes integers of the floats that the model quantises at once");
  return list;
}

const Port::Scale* scale_of(const Inspection& i, const Value& port) {
  if (!i.demand.compiled) return nullptr;
  for (const auto* ports : {&i.demand.compiled->inputs, &i.demand.compiled->outputs})
    for (const Port& p : *ports)
      if (p.name == port.name && p.scale) return &*p.scale;
  return nullptr;
}

Inspection inspect(const ModelFile& file, const Model& model, ModelStats stats,
                   Diagnostics diagnostics, const CompileOptions& options) {
  Inspection i{model, load_training(file, stats), std::move(stats),
               {},    std::move(diagnostics),     layers_of(model.graph)};
  i.demand = demand_of(file, options, model, i.diagnostics);
  mark_refused(i.stats, i.diagnostics);
  return i;
}

}  // namespace onnxc
