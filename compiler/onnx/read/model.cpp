// Reads a model: opsets, functions, the main graph.
#include <fmt/format.h>

#include "compiler/onnx/read/chosen_outputs.hpp"
#include "compiler/onnx/read/devices.hpp"
#include "compiler/onnx/read/graph_reader.hpp"
#include "compiler/onnx/read/import.hpp"
#include "compiler/onnx/read/input_formats.hpp"
#include "compiler/onnx/read/model_file.hpp"
#include "compiler/onnx/read/probes.hpp"
#include "compiler/onnx/read/tolerated.hpp"
#include "compiler/onnx/read/training_info.hpp"
#include "proto/onnx.pb.h"

namespace onnxc {
namespace {

using namespace reader;

constexpr std::int64_t kNewestIr = 14;

OpsetImports read_header(const pb::ModelProto& proto, Model& model, Context& context) {
  if (!proto.has_ir_version())
    context.error("bad-ir-version", "", "ir_version is missing");
  else if (proto.ir_version() < 1 || proto.ir_version() > kNewestIr)
    context.error("bad-ir-version", "",
                  fmt::format("ir_version {} is outside [1, {}]", proto.ir_version(), kNewestIr));
  model.ir_version = context.ir_version = proto.ir_version();
  model.producer = proto.producer_name();
  model.producer_version = proto.producer_version();
  model.domain = proto.domain();
  model.doc = proto.doc_string();
  for (const auto& entry : proto.metadata_props())
    if (!model.metadata.emplace(entry.key(), entry.value()).second)
      context.diagnostics.warning("metadata", "metadata_props " + quoted(entry.key()),
                                  "is given twice; the first is used");
  for (const char* key : {"license", "model_license", "licence"})
    if (const auto it = model.metadata.find(key);
        it != model.metadata.end() && model.licence.empty())
      model.licence = it->second;
  model.opset_imports = import_opsets(proto.opset_import(), "", context);
  if (proto.opset_import().empty()) {
    if (proto.ir_version() >= 3) context.error("bad-opset", "", "opset_import is missing");
    model.opset_imports[""] = 1;
  }
  return model.opset_imports;
}

// Why an input cannot be given a value.
std::string why_not_fixed(const pb::GraphProto& graph, const std::string& name) {
  std::vector<std::string> inputs;
  for (const auto& input : graph.input()) {
    const auto& tensors = graph.initializer();
    const bool has_default = std::any_of(tensors.begin(), tensors.end(),
                                         [&](const auto& t) { return t.name() == input.name(); });
    if (has_default && input.name() == name) return "the input has a default value";
    if (!has_default) inputs.push_back(input.name());
  }
  std::string list;
  for (const std::string& input : inputs) list += (list.empty() ? "" : ", ") + quoted(input);
  return "the model has no such input; it has " + list;
}

}  // namespace

Model import_model(const std::string& path, Diagnostics& diagnostics,
                   const ImportOptions& options) {
  return import_model(read_model_file(path, diagnostics, options.limits.depth), diagnostics,
                      options);
}

Model import_model(const ModelFile& file, Diagnostics& diagnostics, const ImportOptions& options) {
  Model model;
  model.path = file.path;
  if (!file.proto) return model;
  const auto& proto = file.proto;
  model.sha256 = file.sha256;
  if (!options.training && !proto->training_info().empty())
    diagnostics.note("training-info", "",
                     "the model can be trained; --train generates code that does");
  ExternalData external(file.path);
  Context context(diagnostics, external, options.limits);
  context.keeper = proto;
  context.overridden_initializers = options.overridden_initializers;
  context.fixed_inputs = options.fixed_inputs;
  context.user_operators = options.user_operators;
  context.devices = options.devices;
  const OpsetImports opsets = read_header(*proto, model, context);
  read_configurations(*proto, model, context);
  Functions functions;
  if (functions.read(*proto, context)) {
    Scope frame;
    frame.graph = &model.graph;
    frame.opsets = &opsets;
    GraphReader graph_reader(context, functions);
    TrainingReader training_reader(*proto, model, context);
    if (options.training) training_reader.find_state(frame);
    graph_reader.read(proto->graph(), frame, true);
    if (options.training) training_reader.read_entries(frame, graph_reader);
    graph_reader.finish();
    set_input_formats(model.graph, options.input_formats, diagnostics);
    choose_outputs(model.graph, options.outputs, diagnostics);
    add_probes(model.graph, file, options.probes, diagnostics);
  }
  for (const std::string& name : context.overridden_initializers)
    if (name != "*")
      context.error("undefined-name", "input " + quoted(name), "has no default value");
  for (const auto& [name, numbers] : context.fixed_inputs)
    context.error("bad-input", "--fix-input " + name, why_not_fixed(proto->graph(), name));
  for (const std::string& name : context.user_operators)
    if (context.found_user_operators.count(name) == 0)
      context.error("bad-input", "--operator " + name, "no node has this operator");
  if (context.nodes > options.limits.nodes)
    context.error(
        "too-large", "graph",
        fmt::format("more than {} nodes with those of calls; --max-nodes", options.limits.nodes));
  context.finish();
  const std::int64_t foldable = options.limits.constant_bytes + 64 * context.tensor_bytes;
  model.graph.foldable_bytes = foldable - context.dense_bytes;
  for (const auto& entry : model.entries) entry->graph.foldable_bytes = foldable;
  if (options.lint) report_tolerated(*proto, diagnostics);
  for (const std::string& warning : external.warnings)
    diagnostics.warning("external-data", "", warning);
  model.files = external.files();
  model.calls = std::move(context.calls);
  return model;
}

}  // namespace onnxc
