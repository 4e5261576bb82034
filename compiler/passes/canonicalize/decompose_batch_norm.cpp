// decompose_batch_norm: inference BatchNormalization with constant statistics becomes Mul and Add
// by one constant per channel, which fold_scale_bias and fuse_elementwise then absorb. Requires:
// types. Produces: Mul + Add. Leaves alone: training mode, statistics that are not constant;
// anything with --fp strict.
#include <cmath>

#include "compiler/ir/editor.hpp"
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

// y = x * scale + shift by channel
struct ScaleBias {
  std::vector<float> scale, shift;
};

ScaleBias scale_bias_of(const ops::NodeView& n) {
  const auto gamma = n.constant(1)->as<float>(), beta = n.constant(2)->as<float>();
  const auto mean = n.constant(3)->as<float>(), variance = n.constant(4)->as<float>();
  const double epsilon = static_cast<double>(n.attr_float("epsilon"));
  ScaleBias out;
  for (std::size_t c = 0; c < gamma.size(); ++c) {
    const double s =
        static_cast<double>(gamma[c]) / std::sqrt(static_cast<double>(variance[c]) + epsilon);
    out.scale.push_back(static_cast<float>(s));
    out.shift.push_back(
        static_cast<float>(static_cast<double>(beta[c]) - static_cast<double>(mean[c]) * s));
  }
  return out;
}

}  // namespace

void decompose_batch_norm(Graph& graph, PassContext& context) {
  if (context.options.strict_fp) return;
  const ops::Op* batch_norm = ops::find("", "BatchNormalization");
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    if (!decomposable(node, batch_norm)) return;
    Value *x = node.inputs[0], *y = node.outputs[0];
    const ScaleBias by_channel = scale_bias_of(ops::NodeView(node));
    const std::size_t rank = x->type.rank();
    Value* scale = editor.constant(per_channel(by_channel.scale, rank), y->name + "_scale");
    Value* shift = editor.constant(per_channel(by_channel.shift, rank), y->name + "_shift");
    editor.emit_as(y, "Add", {editor.emit("Mul", {x, scale}, y->type), shift});
    editor.erase(node);
  });
}

}  // namespace onnxc::passes
