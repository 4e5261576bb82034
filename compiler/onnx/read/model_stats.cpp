// Counts operators, initialisers and functions in a model file.
#include "compiler/onnx/read/model_stats.hpp"

#include <map>

#include "compiler/ir/op.hpp"
#include "compiler/onnx/read/context.hpp"
#include "compiler/onnx/read/functions.hpp"
#include "compiler/onnx/read/model_file.hpp"
#include "compiler/onnx/read/upgrade.hpp"
#include "compiler/support/checked.hpp"
#include "proto/onnx.pb.h"

namespace onnxc {
namespace {

using namespace reader;

class StatsCollector {
 public:
  explicit StatsCollector(ModelStats& model_stats) : stats_(model_stats) {}

  void count_graph(const pb::GraphProto& graph, const OpsetImports& opsets,
                   const Functions& functions) {
    for (const auto& t : graph.initializer()) count_tensor(t.data_type(), t.dims());
    for (const auto& s : graph.sparse_initializer()) count_tensor(s.values().data_type(), s.dims());
    count_nodes(graph.node(), opsets, functions);
  }

  template <class Nodes>
  void count_nodes(const Nodes& nodes, const OpsetImports& opsets, const Functions& functions) {
    for (const auto& node : nodes) {
      count_node(node, opsets, functions);
      for (const auto& attribute : node.attribute()) {
        if (attribute.has_g()) count_body(attribute.g(), opsets, functions);
        for (const auto& g : attribute.graphs()) count_body(g, opsets, functions);
      }
    }
  }

  void finish() {
    for (auto& [key, use] : uses_) stats_.operators.push_back(std::move(use));
  }

 private:
  void count_body(const pb::GraphProto& graph, const OpsetImports& opsets,
                  const Functions& functions) {
    ++stats_.subgraphs;
    count_graph(graph, opsets, functions);
  }

  void count_node(const pb::NodeProto& node, const OpsetImports& opsets,
                  const Functions& functions) {
    ++stats_.nodes;
    OperatorUse& use = uses_[{canonical_domain(node.domain()), node.op_type()}];
    if (use.count++ > 0) return;
    use.domain = canonical_domain(node.domain());
    use.name = node.op_type();
    if (functions.find(node)) {
      use.is_function = use.supported = true;
      return;
    }
    Node probe;
    probe.op_type = node.op_type();
    probe.domain = node.domain();
    try {
      resolve_operator(probe, opsets);
      use.version = probe.version;
      const ops::Op& op = *probe.op;
      use.supported = op.lower || op.scalar || op.fold || op.upgrade;
      use.note = use.supported ? std::string(op.limits) : "no kernel yet";
      // An operator of which nothing is left is not supported.
      constexpr std::string_view kNever = "refused: ";
      if (!use.note.starts_with(kNever)) return;
      use.supported = false;
      use.note.erase(0, kNever.size());
    } catch (const OpError& e) {
      use.note = e.what();
    }
  }

  template <class Dims>
  void count_tensor(std::int32_t data_type, const Dims& dims) {
    ++stats_.initializers;
    if (data_type <= 0 || data_type >= kElemTypeCount) return;
    try {
      const std::int64_t size =
          checked_product(std::vector<std::int64_t>(dims.begin(), dims.end()));
      stats_.parameters = checked_add(stats_.parameters, size);
      const std::int64_t bits = checked_mul(size, info(static_cast<ElemType>(data_type)).bits);
      stats_.parameter_bytes = checked_add(stats_.parameter_bytes, checked_add(bits, 7) / 8);
    } catch (const OverflowError&) {
      // Reported by the import.
    }
  }

  ModelStats& stats_;
  std::map<std::pair<std::string, std::string>, OperatorUse> uses_;
};

void add_denotation(const pb::ValueInfoProto& port, ModelStats& stats) {
  Denotation d{port.name(), port.type().denotation(), {}};
  bool any = !d.type.empty();
  for (const auto& dim : port.type().tensor_type().shape().dim()) {
    d.dims.push_back(dim.denotation());
    any = any || !dim.denotation().empty();
  }
  if (any) stats.denotations.push_back(std::move(d));
}

void describe_model(const pb::ModelProto& model, ModelStats& stats) {
  stats.model_version = model.model_version();
  stats.graph_name = model.graph().name();
  stats.graph_doc = model.graph().doc_string();
  for (const auto& input : model.graph().input()) add_denotation(input, stats);
  for (const auto& output : model.graph().output()) add_denotation(output, stats);
}

}  // namespace

ModelStats model_stats_of(const ModelFile& file) {
  ModelStats model_stats;
  model_stats.file_bytes = file.bytes;
  if (!file.proto) return model_stats;
  model_stats.readable = true;
  const pb::ModelProto& model = *file.proto;
  describe_model(model, model_stats);
  // The import reports problems.
  Diagnostics ignored;
  ExternalData external(file.path);
  const Limits limits;
  Context context(ignored, external, limits);
  Functions functions;
  functions.read(model, context);
  OpsetImports opsets = import_opsets(model.opset_import(), "", context);
  if (opsets.empty()) opsets[""] = 1;
  StatsCollector collector(model_stats);
  collector.count_graph(model.graph(), opsets, functions);
  for (const auto& f : model.functions())
    collector.count_nodes(f.node(), import_opsets(f.opset_import(), "", context), functions);
  collector.finish();
  model_stats.functions = model.functions_size();
  model_stats.training_graphs = model.training_info_size();
  return model_stats;
}

}  // namespace onnxc
