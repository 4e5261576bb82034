// Prints the contents of a model as text or JSON.
#include "compiler/cli/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "compiler/cli/budget.hpp"
#include "compiler/cli/open_sizes.hpp"
#include "compiler/compile.hpp"
#include "compiler/emit/figures.hpp"
#include "compiler/emit/step_info.hpp"
#include "compiler/import/import.hpp"
#include "compiler/import/model_stats.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/support/checked.hpp"
#include "compiler/support/json.hpp"
#include "compiler/support/limits.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {
namespace {

std::vector<std::string> dynamic_dims(const Graph& graph) {
  std::vector<std::string> names;
  for (const Value* v : graph.inputs)
    if (v->type.shape)
      for (const Dim& d : *v->type.shape) d.collect_symbols(names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// An operator is not supported in this model where an error names one of its nodes.
void mark_refused(ModelStats& stats, const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity != Severity::error) continue;
    for (OperatorUse& use : stats.operators) {
      const std::string title = use.domain.empty() ? use.name : use.domain + ":" + use.name;
      if (!use.supported ||
          d.where.find(fmt::format("({}-{})", title, use.version)) == d.where.npos)
        continue;
      use.supported = false;
      use.note = d.message;
    }
  }
}

std::string operator_title(const OperatorUse& use) {
  const std::string q = quoted(use.domain.empty() ? use.name : use.domain + "." + use.name);
  return q.substr(1, q.size() - 2);
}

// Multiply-accumulates of a graph.
struct MacCount {
  Dim macs = 0;
  bool complete = true;  // false: a rank or the number of iterations of a body is unknown
};

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

// What a run takes: of the compiled model, or, of one that is refused, what its nodes say.
struct Demand {
  std::optional<CompileResult> compiled;
  MacCount work;
  std::optional<std::int64_t> most_macs;
  std::vector<std::string> open;  // sizes for --dim
};

Demand demand_of(CompileOptions options, const Model& model, Diagnostics& diagnostics) {
  Demand d;
  d.open = open_sizes(model.graph, options);
  d.work = count_macs(model.graph);
  if (diagnostics.has_errors()) return d;
  options.output_base = options.name = "model";
  Diagnostics again;
  CompileResult compiled = compile(options, again);
  if (again.has_errors()) {
    for (const Diagnostic& p : again.all())
      if (p.severity == Severity::error) diagnostics.error(p.id, p.where, p.message);
    return d;
  }
  measure_if_wanted(options, compiled);
  d.work = {compiled.macs, true};
  d.most_macs = compiled.most_macs;
  d.compiled = std::move(compiled);
  return d;
}

std::string work_figure(const Demand& d) {
  return (d.work.complete ? "" : "at least ") + count_text(d.work.macs, d.most_macs);
}

// ---- training ---------------------------------------------------------------------------------

// The model as it would be trained. Null: it cannot be, or problems are reported elsewhere.
std::unique_ptr<Model> load_training(const std::string& path, const ModelStats& model_stats) {
  if (model_stats.training_graphs == 0) return nullptr;
  Diagnostics ignored;
  auto model = std::make_unique<Model>(import_model(path, ignored, {.training = true}));
  return ignored.has_errors() ? nullptr : std::move(model);
}

std::string type_text(const Tensor& t) {
  return Type::tensor(t.elem(), to_shape(t.dims())).to_string();
}

const char* binding_name(const TrainingEntry& entry) {
  return entry.kind == TrainingEntry::Kind::algorithm ? "update" : "initialization";
}

// Calls f(variable, value) for every binding of an entry.
template <class F>
void each_binding(const Model& model, const TrainingEntry& entry, F f) {
  for (std::size_t i = 0; i < entry.updates.size(); ++i)
    f(model.state.variables[static_cast<std::size_t>(entry.updates[i])].name,
      entry.graph.outputs[entry.free_outputs() + i]->name);
}

// The float initialisers of the inference graph that training leaves as they are.
std::vector<const Value*> frozen_weights(const Model& model) {
  std::vector<const Value*> list;
  for (const auto& v : model.graph.values)
    if (v->constant && !v->producer && is_float(v->type.elem)) list.push_back(v.get());
  return list;
}

// ---- JSON ---------------------------------------------------------------------------------------

// A number, or the text of an expression.
void write_ports(JsonWriter& w, const char* key, const std::vector<Value*>& values) {
  w.key(key).begin_array();
  for (const Value* v : values) {
    w.begin_object().field("name", std::string_view(v->name));
    w.field("type", std::string_view(v->type.to_string()));
    if (v->type.is_tensor()) w.field("element_type", info(v->type.elem).onnx_name);
    if (v->type.shape) {
      w.key("shape").begin_array();
      for (const Dim& d : *v->type.shape) write_dim(w, d);
      w.end_array();
    }
    w.end_object();
  }
  w.end_array();
}

void write_operators(JsonWriter& w, const ModelStats& model_stats) {
  w.key("operators").begin_array();
  for (const OperatorUse& use : model_stats.operators) {
    w.begin_object();
    w.field("domain", std::string_view(use.domain)).field("name", std::string_view(use.name));
    w.field("version", use.version).field("count", use.count);
    w.field("function", use.is_function).field("supported", use.supported);
    if (!use.note.empty()) w.field("note", std::string_view(use.note));
    w.end_object();
  }
  w.end_array();
}

void write_training(JsonWriter& w, const Model* training) {
  if (!training) return;
  w.key("state").begin_array();
  for (const StateVariable& v : training->state.variables)
    w.begin_object()
        .field("name", std::string_view(v.name))
        .field("type", std::string_view(type_text(v.initial)))
        .end_object();
  w.end_array().key("frozen").begin_array();
  for (const Value* v : frozen_weights(*training)) w.value(std::string_view(v->name));
  w.end_array().key("bindings").begin_array();
  for (const auto& entry : training->entries)
    each_binding(*training, *entry, [&](const std::string& key, const std::string& value) {
      w.begin_object().field("training_info", static_cast<std::int64_t>(entry->info));
      w.field("kind", binding_name(*entry)).field("key", std::string_view(key));
      w.field("value", std::string_view(value)).end_object();
    });
  w.end_array();
}

void write_memory(JsonWriter& w, const Demand& demand) {
  w.key("open_sizes").begin_array();
  for (const std::string& name : demand.open) w.value(std::string_view(name));
  w.end_array();
  if (!demand.compiled) return;
  const CompileResult& r = *demand.compiled;
  w.field("weight_bytes", r.weight_bytes).field("arena_bytes", r.arena_bytes);
  w.field("heap", r.uses_heap ? "unbounded" : "none");
  if (r.heap_bytes) write_dim(w.key("heap_bytes"), *r.heap_bytes);
  w.field("code_bytes", r.costs.code_bytes).field("code_measured", r.costs.measured());
}

std::string to_json(const Model& model, const Model* training, const ModelStats& model_stats,
                    const Demand& demand, const Diagnostics& diagnostics) {
  JsonWriter w;
  w.begin_object();
  w.field("model", std::string_view(model.path)).field("sha256", std::string_view(model.sha256));
  w.field("file_bytes", model_stats.file_bytes).field("ir_version", model.ir_version);
  w.field("producer", std::string_view(model.producer));
  w.field("producer_version", std::string_view(model.producer_version));
  w.field("licence", std::string_view(model.licence));
  w.key("opsets").begin_object();
  for (const auto& [domain, version] : model.opset_imports)
    w.field(domain.empty() ? "ai.onnx" : std::string_view(domain), version);
  w.end_object();
  write_ports(w, "inputs", model.graph.inputs);
  write_ports(w, "outputs", model.graph.outputs);
  w.key("dynamic_dims").begin_array();
  for (const std::string& name : dynamic_dims(model.graph)) w.value(std::string_view(name));
  w.end_array();
  w.field("nodes", model_stats.nodes).field("subgraphs", model_stats.subgraphs);
  w.field("functions", model_stats.functions).field("training_graphs", model_stats.training_graphs);
  w.field("initializers", model_stats.initializers).field("parameters", model_stats.parameters);
  w.field("parameter_bytes", model_stats.parameter_bytes);
  write_macs(w, demand.work.macs, demand.most_macs);
  w.field("macs_complete", demand.work.complete);
  write_memory(w, demand);
  write_operators(w, model_stats);
  write_training(w, training);
  w.key("problems").begin_array();
  for (const Diagnostic& d : diagnostics.all())
    w.value(std::string_view(diagnostics.format(d, model.path)));
  w.end_array();
  return w.end_object().take();
}

// ---- text ---------------------------------------------------------------------------------------

void print_ports(const char* title, const std::vector<Value*>& values) {
  terminal::print(stdout, "{}\n", title);
  for (const Value* v : values)
    terminal::print(stdout, "  {}  {}\n", quoted(v->name), v->type.to_string());
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
  terminal::print(stdout, "frozen\n");
  for (const Value* v : frozen_weights(*training))
    terminal::print(stdout, "  {}  {}\n", quoted(v->name), v->type.to_string());
  for (const auto& entry : training->entries) {
    terminal::print(stdout, "{} of training_info {}\n", binding_name(*entry), entry->info);
    each_binding(*training, *entry, [](const std::string& key, const std::string& value) {
      terminal::print(stdout, "  {} <- {}\n", quoted(key), quoted(value));
    });
  }
}

// "about 5.0 MiB * batch", or why there is no figure.
std::string heap_figure(const CompileResult& r) {
  return r.heap_bytes ? "about " + bytes_text(*r.heap_bytes) : "unbounded";
}

void print_demand(const Demand& demand) {
  if (demand.compiled) {
    const CompileResult& r = *demand.compiled;
    terminal::print(stdout, "memory      weights {}, arena {}{}\n", bytes_text(r.weight_bytes),
                    bytes_text(r.arena_bytes),
                    r.uses_heap ? ", heap " + heap_figure(r) : std::string());
    terminal::print(stdout, "code        {}{}\n", r.costs.measured() ? "" : "about ",
                    bytes_text(r.costs.code_bytes));
  }
  if (demand.open.empty()) return;
  terminal::print(stdout, "hint        {} {} open: {} {} a fixed size\n",
                  fmt::format("{}", fmt::join(demand.open, ", ")),
                  demand.open.size() == 1 ? "is" : "are", as_dim_options(demand.open),
                  demand.open.size() == 1 ? "gives it" : "give them");
}

void print_text(const Model& model, const Model* training, const ModelStats& model_stats,
                const Demand& demand, const Diagnostics& diagnostics) {
  terminal::print(stdout, "model       {}\n", quoted(model.path));
  terminal::print(stdout, "sha256      {}\n", model.sha256);
  terminal::print(stdout, "ir version  {}\n", model.ir_version);
  if (!model.producer.empty())
    terminal::print(stdout, "producer    {}{}\n", quoted(model.producer),
                    model.producer_version.empty() ? "" : " " + quoted(model.producer_version));
  for (const auto& [domain, version] : model.opset_imports)
    terminal::print(stdout, "opset       {} {}\n", quoted(domain.empty() ? "ai.onnx" : domain),
                    version);
  print_ports("inputs", model.graph.inputs);
  print_ports("outputs", model.graph.outputs);
  const auto dims = dynamic_dims(model.graph);
  if (!dims.empty())
    terminal::print(stdout, "dynamic dims {}\n", fmt::format("{}", fmt::join(dims, ", ")));
  terminal::print(
      stdout, "parameters  {} in {}, {} bytes\n", model_stats.parameters,
      terminal::counted(static_cast<std::size_t>(model_stats.initializers), "initializer"),
      model_stats.parameter_bytes);
  terminal::print(stdout, "MACs        {}\n", work_figure(demand));
  print_demand(demand);
  print_operators(model_stats);
  print_training(training);
  diagnostics.print(model.path, stdout);
}

}  // namespace

int run_inspect(const InspectOptions& options) {
  const std::string& path = options.compile.model;
  const ProcessLimits process_limits{options.compile.limits};
  Diagnostics parse_problems;
  ModelStats model_stats = model_stats_of(path, parse_problems);
  if (!model_stats.readable) {
    parse_problems.print(path, stderr);
    return exit_code::bad_model;
  }
  Diagnostics diagnostics;
  const Model model = load_checked(options.compile, diagnostics);
  const auto training = load_training(path, model_stats);
  const Demand demand = demand_of(options.compile, model, diagnostics);
  mark_refused(model_stats, diagnostics);
  if (options.json)
    terminal::print_document(stdout,
                             to_json(model, training.get(), model_stats, demand, diagnostics));
  else
    print_text(model, training.get(), model_stats, demand, diagnostics);
  return exit_code::ok;
}

}  // namespace onnxc
