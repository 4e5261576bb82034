// decompose_batch_norm: inference BatchNormalization with constant statistics becomes Mul and Add
// by one constant per channel, which fold_scale_bias and fuse_elementwise then absorb.
// Needs: types. Gives: Mul + Add. Never touches: training mode, statistics known only at run time;
// and nothing with --fp strict.
#include <cmath>

#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

bool decomposable(const Node& node, const ops::Op* batch_norm) {
  if (node.op != batch_norm || node.inputs.size() != 5) return false;
  const ops::NodeView n(node);
  if (n.attr_int("training_mode") != 0 || !n.input(0).has_rank() || n.input(0).rank() < 2)
    return false;
  for (std::size_t i = 0; i < 5; ++i) {
    if (n.input(i).elem != ElemType::float32) return false;
    if (i > 0 && !n.constant(i)) return false;
  }
  return true;
}

// [C] -> [C,1,1...]: broadcasts along axis 1 of a tensor of this rank.
Tensor per_channel(const std::vector<float>& values, std::size_t rank) {
  std::vector<std::int64_t> dims(rank - 1, 1);
  dims[0] = static_cast<std::int64_t>(values.size());
  return Tensor::of<float>(ElemType::float32, dims, values);
}

std::unique_ptr<Node> follower(const Node& from, const char* op, Value* a, Value* b, Value* out) {
  auto node = std::make_unique<Node>();
  node->op = &ops::get(op);
  node->name = from.name;
  node->op_type = from.op_type;
  node->domain = from.domain;
  node->index = from.index;
  node->version = from.version;
  node->sources = from.sources;
  node->inputs = {a, b};
  node->outputs = {out};
  out->producer = node.get();
  return node;
}

}  // namespace

void decompose_batch_norm(Graph& graph, PassContext& context) {
  if (context.options.strict_fp) return;
  const ops::Op* batch_norm = ops::find("", "BatchNormalization");
  std::vector<std::unique_ptr<Node>> nodes;
  for (auto& node : graph.nodes) {
    if (!decomposable(*node, batch_norm)) {
      nodes.push_back(std::move(node));
      continue;
    }
    const ops::NodeView n(*node);
    const auto gamma = n.constant(1)->as<float>(), beta = n.constant(2)->as<float>();
    const auto mean = n.constant(3)->as<float>(), variance = n.constant(4)->as<float>();
    const double epsilon = static_cast<double>(n.attr_float("epsilon"));
    std::vector<float> scale, shift;
    for (std::size_t c = 0; c < gamma.size(); ++c) {
      const double s =
          static_cast<double>(gamma[c]) / std::sqrt(static_cast<double>(variance[c]) + epsilon);
      scale.push_back(static_cast<float>(s));
      shift.push_back(
          static_cast<float>(static_cast<double>(beta[c]) - static_cast<double>(mean[c]) * s));
    }
    Value* out = node->outputs[0];
    const std::size_t rank = n.input(0).rank();
    Value* scaled = graph.add_value(graph.fresh_name(out->name), out->type);
    Value* s = graph.add_constant(graph.fresh_name(out->name + "_scale"), per_channel(scale, rank));
    Value* t = graph.add_constant(graph.fresh_name(out->name + "_shift"), per_channel(shift, rank));
    nodes.push_back(follower(*node, "Mul", node->inputs[0], s, scaled));
    nodes.push_back(follower(*node, "Add", scaled, t, out));
  }
  graph.nodes = std::move(nodes);
}

}  // namespace onnxc::passes
