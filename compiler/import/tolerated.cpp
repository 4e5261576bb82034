// Warnings about names, shapes and lists that a strict reader would refuse. Import does not need
// them.
#include "compiler/import/tolerated.hpp"

#include <fmt/format.h>

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
      for (const auto& attribute : node.attribute()) visit(attribute, place);
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
