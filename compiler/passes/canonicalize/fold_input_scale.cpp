// fold_input_scale: Mul and Div by powers of two, one for all elements or one per channel, move
// into the weights of the Conv after them, as that rounds nothing. Requires: types. Produces: fewer
// element-wise nodes. Leaves alone: results with other readers; anything with --fp strict, as
// overflow would be elsewhere.
#include <cmath>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

bool is_power_of_two(float x) {
  int exponent = 0;
  return std::isnormal(x) && std::frexp(x, &exponent) == 0.5f;
}

// The factors of the channels, `count` of them; empty if they are no powers of two or there are
// others along other axes.
std::vector<float> channel_factors(const Tensor& t, std::size_t rank, std::int64_t count) {
  if (t.elem() != ElemType::float32 || t.dims().size() > rank) return {};
  const auto values = t.as<float>();
  const std::size_t skip = rank - t.dims().size();
  for (std::size_t i = 0; i < t.dims().size(); ++i)
    if (t.dims()[i] != 1 && skip + i != 1) return {};
  if (t.size() != 1 && t.size() != count) return {};
  std::vector<float> factors;
  for (std::int64_t c = 0; c < count; ++c) {
    const float factor = values[static_cast<std::size_t>(t.size() == 1 ? 0 : c)];
    if (!is_power_of_two(factor)) return {};
    factors.push_back(factor);
  }
  return factors;
}

struct Scaled {
  Value* x;
  std::vector<float> factors;  // of its channels
};

// A Mul or Div of a tensor by powers of two.
std::optional<Scaled> scaled_input(const Node& node) {
  const bool divides = is_a(&node, "Div");
  if ((!divides && !is_a(&node, "Mul")) || !node.body.empty()) return {};
  const bool swapped = !divides && node.inputs[0]->constant.has_value();
  Value* const x = node.inputs[swapped ? 1 : 0];
  const Value& by = *node.inputs[swapped ? 0 : 1];
  const Type &from = x->type, &to = node.outputs[0]->type;
  if (!by.constant || from.elem != ElemType::float32 || !from.has_rank() || from.rank() < 3 ||
      !to.has_rank() || *from.shape != *to.shape || !(*from.shape)[1].is_const())
    return {};
  auto factors = channel_factors(*by.constant, from.rank(), (*from.shape)[1].value());
  if (factors.empty()) return {};
  for (float& factor : factors) factor = divides ? 1.0f / factor : factor;
  return Scaled{x, std::move(factors)};
}

// The weights [out, in / groups, kernel...] with each input channel scaled; nullopt where a product
// is not exact.
std::optional<Tensor> scaled(const Tensor& w, std::int64_t groups,
                             const std::vector<float>& factors) {
  std::vector<float> values(w.as<float>().begin(), w.as<float>().end());
  const std::int64_t outputs = w.dims()[0], channels = w.dims()[1];
  const std::int64_t kernel = w.size() / (outputs * channels);
  for (std::int64_t i = 0; i < w.size(); ++i) {
    const std::int64_t output = i / (kernel * channels), channel = i / kernel % channels;
    const std::int64_t group = output / (outputs / groups);
    const float factor = factors[static_cast<std::size_t>(group * channels + channel)];
    float& value = values[static_cast<std::size_t>(i)];
    if (value != 0.0f && !std::isnormal(value * factor)) return std::nullopt;
    value *= factor;
  }
  return Tensor::of<float>(ElemType::float32, w.dims(), values);
}

void fold(GraphEditor& editor, Node& conv) {
  Node* const node = producer_for_one(*conv.inputs[0]);
  const Value& w = *conv.inputs[1];
  if (!node || node->graph != conv.graph || !w.constant || w.type.elem != ElemType::float32 ||
      w.constant->size() == 0)
    return;
  const auto input = scaled_input(*node);
  if (!input) return;
  const std::int64_t groups = ops::NodeView(conv).attr_int("group");
  const auto weights = scaled(*w.constant, groups, input->factors);
  if (!weights) return;
  conv.inputs.set(1, editor.constant(*weights, w.name));
  conv.inputs.set(0, input->x);
  add_sources(conv.sources, node->sources);
  editor.erase(*node);
}

}  // namespace

void fold_input_scale(Graph& graph, PassContext& context) {
  if (context.options.strict_fp) return;
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    if (is_a(&node, "Conv") && node.body.empty()) fold(editor, node);
  });
}

}  // namespace onnxc::passes
