// fold_scale_bias: Mul, Div, Add and Sub by one constant per channel move into the weights and bias
// of the Conv or ConvTranspose before them. Requires: types. Produces: fewer element-wise
// nodes. Leaves alone: results with other readers; weights and biases beyond what floats hold;
// anything with --fp strict.
#include <algorithm>
#include <cmath>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

struct Weights {
  std::size_t channel_axis = 0;  // of the weight tensor, counted over whole groups
  std::int64_t groups = 1;
};

// The producers that can absorb a scale and bias, and the axis of the output channel in their
// weights.
std::optional<Weights> foldable_producer(const Node& node) {
  if (node.op->domain != "" || !node.body.empty()) return std::nullopt;
  const ops::NodeView n(node);
  const bool conv = node.op->name == "Conv", transposed = node.op->name == "ConvTranspose";
  if ((!conv && !transposed) || !n.constant(1) || n.input(1).elem != ElemType::float32)
    return std::nullopt;
  if (n.has_input(2) && !n.constant(2)) return std::nullopt;
  return conv ? Weights{0, 1} : Weights{1, n.attr_int("group")};
}

// The constant operand as one value per channel; empty if it has another form.
std::vector<float> per_channel(const Tensor& t, const Type& out) {
  if (t.elem() != ElemType::float32 || !out.has_rank() || out.rank() < 2) return {};
  const Dim& channels = (*out.shape)[1];
  if (!channels.is_const()) return {};
  const auto values = t.as<float>();
  const auto count = static_cast<std::size_t>(channels.value());
  if (t.size() == 1 && t.dims().size() <= out.rank()) return std::vector<float>(count, values[0]);
  if (t.dims().size() > out.rank() || values.size() != count) return {};
  // The only dimension above 1 must be aligned with axis 1.
  const std::size_t skip = out.rank() - t.dims().size();
  for (std::size_t i = 0; i < t.dims().size(); ++i)
    if (t.dims()[i] != 1 && skip + i != 1) return {};
  return {values.begin(), values.end()};
}

struct Affine {
  std::vector<float> scale, shift;
};

// y = x * scale + shift, with x the input number `data` of the node.
std::optional<Affine> affine_of(const Node& node, const Value* x) {
  if (node.op->domain != "" || node.inputs.size() != 2 || !node.body.empty()) return std::nullopt;
  const std::string_view name = node.op->name;
  const bool first = node.inputs[0] == x;
  const Value* other = node.inputs[first ? 1 : 0];
  if (!other->constant || other == x || x->type != node.outputs[0]->type) return std::nullopt;
  const auto c = per_channel(*other->constant, x->type);
  if (c.empty()) return std::nullopt;
  Affine a{std::vector<float>(c.size(), 1.0f), std::vector<float>(c.size(), 0.0f)};
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (name == "Mul")
      a.scale[i] = c[i];
    else if (name == "Add")
      a.shift[i] = c[i];
    else if (name == "Div" && first)
      a.scale[i] = 1.0f / c[i];
    else if (name == "Sub" && first)
      a.shift[i] = -c[i];
    else if (name == "Sub")
      a.scale[i] = -1.0f, a.shift[i] = c[i];
    else
      return std::nullopt;
  }
  return a;
}

// Calls f with the position and the output channel of each weight.
template <class F>
void each_weight(const Tensor& w, const Weights& where, F f) {
  std::int64_t inner = 1;
  for (std::size_t i = where.channel_axis + 1; i < w.dims().size(); ++i) inner *= w.dims()[i];
  const std::int64_t per_group = w.dims()[where.channel_axis];
  const std::int64_t rows = where.channel_axis == 0 ? 1 : w.dims()[0] / where.groups;
  for (std::int64_t i = 0; i < w.size(); ++i) {
    const std::int64_t at = i / inner;
    std::int64_t channel = at % per_group;
    if (where.channel_axis == 1) channel += at / per_group / rows * per_group;
    f(static_cast<std::size_t>(i), static_cast<std::size_t>(channel));
  }
}

// Whether no product overflows, and those that underflow are nothing next to others of their
// channel.
bool is_in_range(const Tensor& w, const Weights& where, const std::vector<float>& scale) {
  const auto values = w.as<float>();
  std::vector<float> most(scale.size(), 0.0f);
  each_weight(w, where, [&](std::size_t i, std::size_t channel) {
    most[channel] = std::max(most[channel], std::abs(values[i]));
  });
  for (std::size_t c = 0; c < scale.size(); ++c) {
    if (scale[c] == 0.0f) continue;
    const float product = most[c] * std::abs(scale[c]);
    if (!std::isnormal(scale[c]) || !std::isfinite(product)) return false;
    if (most[c] != 0.0f && product < 0x1p-100f) return false;
  }
  return true;
}

Tensor scaled_weights(const Tensor& w, const Weights& where, const std::vector<float>& scale) {
  std::vector<float> out(w.as<float>().begin(), w.as<float>().end());
  each_weight(w, where, [&](std::size_t i, std::size_t channel) { out[i] *= scale[channel]; });
  return Tensor::of<float>(ElemType::float32, w.dims(), out);
}

// The bias of the convolution after scale and shift; nullopt if one overflows.
std::optional<std::vector<float>> scaled_bias(const Node& conv, const Affine& a) {
  std::vector<float> bias(a.scale.size(), 0.0f);
  if (conv.inputs.size() > 2 && conv.inputs[2]) {
    const auto old = conv.inputs[2]->constant->as<float>();
    bias.assign(old.begin(), old.end());
  }
  for (std::size_t i = 0; i < bias.size(); ++i) {
    const bool finite = std::isfinite(bias[i]) && std::isfinite(a.shift[i]);
    bias[i] = bias[i] * a.scale[i] + a.shift[i];
    if (finite && !std::isfinite(bias[i])) return std::nullopt;
  }
  return bias;
}

bool fold_into(GraphEditor& editor, Node& conv, const Weights& where, const Affine& a,
               const std::string& name) {
  const Tensor& w = *conv.inputs[1]->constant;
  const bool scales =
      std::any_of(a.scale.begin(), a.scale.end(), [](float s) { return s != 1.0f; });
  const auto bias = scaled_bias(conv, a);
  if (!bias || (scales && !is_in_range(w, where, a.scale))) return false;
  if (scales)
    conv.inputs.set(1, editor.constant(scaled_weights(w, where, a.scale), conv.inputs[1]->name));
  const auto count = static_cast<std::int64_t>(bias->size());
  conv.inputs.resize(3);
  conv.inputs.set(
      2, editor.constant(Tensor::of<float>(ElemType::float32, {count}, *bias), name + "_bias"));
  return true;
}

// Folds the node into the convolution that makes its input x for it alone.
bool fold(GraphEditor& editor, Node& node, Value* x) {
  Node* conv = x ? producer_for_one(*x) : nullptr;
  if (!conv || conv->graph != node.graph) return false;
  const auto where = foldable_producer(*conv);
  const auto a = where ? affine_of(node, x) : std::nullopt;
  if (!a || !fold_into(editor, *conv, *where, *a, node.outputs[0]->name)) return false;
  add_sources(conv->sources, node.sources);
  editor.set_output(*conv, 0, node.outputs[0]);
  editor.erase(node);
  return true;
}

}  // namespace

void fold_scale_bias(Graph& graph, PassContext& context) {
  if (context.options.strict_fp) return;
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (fold(editor, node, node.inputs[i])) return;
  });
}

}  // namespace onnxc::passes
