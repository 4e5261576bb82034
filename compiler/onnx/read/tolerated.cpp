// Warnings about names, shapes and lists that a strict reader would refuse. Import does not need
// them.
#include "compiler/onnx/read/tolerated.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <map>
#include <set>
#include <string_view>

#include "compiler/ir/graph.hpp"
#include "proto/onnx.pb.h"

namespace onnxc {
namespace {

// Since these versions of the IR initializers need not be inputs, and models may have functions and
// annotations for several devices.
constexpr std::int64_t kFreeInitializers = 4, kFunctions = 8, kDevices = 11;

class Tolerated {
 public:
  Tolerated(const pb::ModelProto& model, Diagnostics& diagnostics)
      : model_(model), diagnostics_(diagnostics) {}

  void run() {
    visit(model_.graph(), "graph");
    check_ports(model_.graph());
    check_quantization(model_.graph());
    if (model_.ir_version() < kFreeInitializers) check_initializers(model_.graph());
    if (model_.ir_version() < kFunctions && !model_.functions().empty())
      diagnostics_.warning("early-functions", "",
                           fmt::format("functions need ir_version {}, the model says {}",
                                       kFunctions, model_.ir_version()));
    if (model_.ir_version() < kDevices && !model_.configuration().empty())
      diagnostics_.warning("early-devices", "",
                           fmt::format("configurations need ir_version {}, the model says {}",
                                       kDevices, model_.ir_version()));
  }

 private:
  void visit(const pb::GraphProto& graph, const std::string& where) {
    if (graph.name().empty()) diagnostics_.warning("unnamed-graph", where, "has no name");
    std::map<std::string_view, int> names;
    for (int i = 0; i < graph.node_size(); ++i) {
      const pb::NodeProto& node = graph.node(i);
      const std::string place = fmt::format("{}, node {}", where, i);
      const auto [first, fresh] = names.emplace(node.name(), i);
      if (!fresh && !node.name().empty())
        diagnostics_.warning("duplicate-node-name", place + " " + quoted(node.name()),
                             fmt::format("node {} has this name, too", first->second));
      check_pads(node, place);
      for (const auto& attribute : node.attribute()) visit(attribute, place);
    }
    std::set<std::string_view> declared;
    for (const auto& info : graph.value_info())
      if (!declared.insert(info.name()).second)
        diagnostics_.warning("duplicate-name", where + ", value_info " + quoted(info.name()),
                             "is given twice; the last one is used");
  }

  // Other pads than zeros are an error.
  void check_pads(const pb::NodeProto& node, const std::string& place) {
    bool has_pads = false;
    std::string_view mode;
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == "pads")
        has_pads = std::all_of(attribute.ints().begin(), attribute.ints().end(),
                               [](std::int64_t pad) { return pad == 0; });
      if (attribute.name() == "auto_pad") mode = attribute.s();
    }
    if (has_pads && !mode.empty() && mode != "NOTSET")
      diagnostics_.warning("tolerated-node", place + ", attribute \"pads\"",
                           "cannot be used with auto_pad; the zeros have no effect");
  }

  void check_quantization(const pb::GraphProto& graph) {
    std::set<std::string_view> names;
    for (const auto& input : graph.input()) names.insert(input.name());
    for (const auto& tensor : graph.initializer()) names.insert(tensor.name());
    for (const auto& node : graph.node()) names.insert(node.output().begin(), node.output().end());
    const auto check = [&](const std::string& field, const std::string& name) {
      if (!names.count(name))
        diagnostics_.warning("undefined-name", field, quoted(name) + " is no value of the graph");
    };
    for (const auto& annotation : graph.quantization_annotation()) {
      const std::string where = "quantization_annotation " + quoted(annotation.tensor_name());
      check(where, annotation.tensor_name());
      for (const auto& entry : annotation.quant_parameter_tensor_names())
        check(where + ", " + quoted(entry.key()), entry.value());
    }
  }

  void visit(const pb::AttributeProto& attribute, const std::string& place) {
    const std::string where = place + ", attribute " + quoted(attribute.name());
    if (attribute.has_g()) visit(attribute.g(), where);
    for (const auto& graph : attribute.graphs()) visit(graph, where);
  }

  // A model says the rank of each of its inputs and outputs.
  void check_ports(const pb::GraphProto& graph) {
    const auto check = [&](const char* list, const pb::ValueInfoProto& port) {
      const pb::TypeProto& type = port.type();
      if (type.value_case() == pb::TypeProto::VALUE_NOT_SET)
        diagnostics_.warning("missing-shape", list + (" " + quoted(port.name())), "has no type");
      if (type.has_tensor_type() && !type.tensor_type().has_shape())
        diagnostics_.warning("missing-shape", list + (" " + quoted(port.name())), "has no shape");
    };
    for (const auto& input : graph.input()) check("input", input);
    for (const auto& output : graph.output()) check("output", output);
  }

  void check_initializers(const pb::GraphProto& graph) {
    std::set<std::string_view> inputs;
    for (const auto& input : graph.input()) inputs.insert(input.name());
    for (const auto& tensor : graph.initializer())
      if (!inputs.count(tensor.name()))
        diagnostics_.warning(
            "initializer-not-input", "initializer " + quoted(tensor.name()),
            fmt::format("is no graph input, which ir_version {} demands", model_.ir_version()));
  }

  const pb::ModelProto& model_;
  Diagnostics& diagnostics_;
};

}  // namespace

void report_tolerated(const pb::ModelProto& model, Diagnostics& diagnostics) {
  Tolerated(model, diagnostics).run();
}

}  // namespace onnxc
