// An inspection as JSON.
#include <string_view>

#include <fmt/format.h>

#include "compiler/cli/inspection.hpp"
#include "compiler/emit/step_info.hpp"
#include "compiler/ir/size_names.hpp"
#include "compiler/support/json.hpp"

namespace onnxc {
namespace {

// A number, or the text of an expression.
void write_ports(JsonWriter& w, const Inspection& i, const char* key,
                 const std::vector<Value*>& values) {
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
    if (const Port::Scale* s = scale_of(i, *v))
      w.field("scale", static_cast<double>(s->scale)).field("zero_point", s->zero_point);
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

void write_configurations(JsonWriter& w, const Model& model) {
  w.key("configurations").begin_array();
  for (const DeviceConfiguration& c : model.configurations) {
    w.begin_object().field("name", std::string_view(c.name)).field("num_devices", c.count);
    w.key("device").begin_array();
    for (const std::string& name : c.devices) w.value(std::string_view(name));
    w.end_array().end_object();
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
  for (const OpenSize& open : demand.open) w.value(std::string_view(open.name));
  w.end_array();
  if (!demand.compiled) return;
  const CompileResult& r = *demand.compiled;
  w.field("peak_bytes", r.peak_bytes).field("peak_step", std::string_view(r.peak_step));
  w.field("weight_bytes", r.weight_bytes).field("arena_bytes", r.arena_bytes);
  w.field("heap", r.facts.heap ? "unbounded" : "none");
  if (r.heap_bytes) write_dim(w.key("heap_bytes"), *r.heap_bytes);
  w.field("code_bytes", r.costs.code_bytes).field("code_measured", r.costs.measured());
  w.field("code_bytes_at_most", r.costs.code_bytes_at_most);
}

// Where a value comes from and what it is.
void write_values(JsonWriter& w, const char* key, const std::vector<Value*>& values) {
  w.key(key).begin_array();
  for (const Value* v : values) {
    if (!v) {
      w.null();
      continue;
    }
    w.begin_object().field("name", std::string_view(v->name));
    w.field("type", std::string_view(v->type.to_string())).end_object();
  }
  w.end_array();
}

void write_layers(JsonWriter& w, const std::vector<Layer>& layers) {
  w.key("layers").begin_array();
  for (const Layer& layer : layers) {
    w.begin_object().field("name", std::string_view(layer.name));
    w.field("operator", std::string_view(layer.op)).field("depth", layer.depth);
    const Node& node = *layer.node;
    write_values(w, "inputs", {node.inputs.begin(), node.inputs.end()});
    write_values(w, "outputs", node.outputs);
    if (layer.bytes) write_dim(w.key("bytes"), *layer.bytes);
    w.field("parameters", layer.parameters);
    if (layer.macs) write_dim(w.key("macs"), *layer.macs);
    if (layer.share) w.field("share", *layer.share);
    w.end_object();
  }
  w.end_array();
}

void write_identity(JsonWriter& w, const Inspection& i) {
  w.field("domain", std::string_view(i.model.domain));
  w.field("model_version", i.stats.model_version);
  w.field("graph", std::string_view(i.stats.graph_name));
  w.field("graph_doc", std::string_view(i.stats.graph_doc));
  w.key("denotations").begin_array();
  for (const Denotation& d : i.stats.denotations) {
    w.begin_object().field("name", std::string_view(d.port));
    w.field("type", std::string_view(d.type)).key("dims").begin_array();
    for (const std::string& dim : d.dims) w.value(std::string_view(dim));
    w.end_array().end_object();
  }
  w.end_array();
}

void write_texts(JsonWriter& w, const Inspection& i) {
  w.field("doc", std::string_view(i.model.doc));
  w.key("metadata").begin_object();
  for (const auto& [key, value] : i.model.metadata)
    w.field(std::string_view(key), std::string_view(value));
  w.end_object();
  w.key("hints").begin_array();
  for (const std::string& hint : hints(i)) w.value(std::string_view(hint));
  w.end_array();
}

}  // namespace

std::string inspection_as_json(const Inspection& i, bool with_layers) {
  const Model& model = i.model;
  const ModelStats& model_stats = i.stats;
  const Demand& demand = i.demand;
  JsonWriter w;
  w.begin_object();
  w.field("model", std::string_view(model.path)).field("sha256", std::string_view(model.sha256));
  w.field("file_bytes", model_stats.file_bytes).field("ir_version", model.ir_version);
  w.field("producer", std::string_view(model.producer));
  w.field("producer_version", std::string_view(model.producer_version));
  w.field("licence", std::string_view(model.licence));
  write_identity(w, i);
  w.key("opsets").begin_object();
  for (const auto& [domain, version] : model.opset_imports)
    w.field(domain.empty() ? "ai.onnx" : std::string_view(domain), version);
  w.end_object();
  write_configurations(w, model);
  write_ports(w, i, "inputs", model.graph.inputs);
  write_ports(w, i, "outputs", model.graph.outputs);
  w.key("dynamic_dims").begin_array();
  for (const std::string& name : dynamic_dims(model.graph))
    w.value(std::string_view(name_of_symbol(name)));
  w.end_array();
  w.field("nodes", model_stats.nodes).field("subgraphs", model_stats.subgraphs);
  w.field("functions", model_stats.functions).field("training_graphs", model_stats.training_graphs);
  w.field("initializers", model_stats.initializers).field("parameters", model_stats.parameters);
  w.field("parameter_bytes", model_stats.parameter_bytes);
  write_macs(w, demand.work.macs, demand.max_macs);
  w.field("macs_complete", demand.work.complete);
  write_memory(w, demand);
  write_operators(w, model_stats);
  write_training(w, i.training.get());
  w.key("problems").begin_array();
  for (const Diagnostic& d : i.diagnostics.all())
    w.value(std::string_view(i.diagnostics.format(d, model.path)));
  w.end_array();
  write_texts(w, i);
  if (with_layers) write_layers(w, i.layers);
  return w.end_object().take();
}

}  // namespace onnxc
