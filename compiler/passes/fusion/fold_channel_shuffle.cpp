// fold_channel_shuffle: a convolution after a channel shuffle reads its input channels unshuffled.
// The weights of depthwise convolutions in between are permuted. Requires: types,
// onnxc::ShuffleChannels. Produces: the attribute "onnxc.shuffle" of Conv, the number of groups of
// a ShuffleChannels that the Conv includes; the weights of each group are in the order of its input
// channels. Leaves alone: shuffled data with other readers.
#include <algorithm>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/ops/window.hpp"
#include "compiler/passes/pass.hpp"
#include "templates/convolution/grouped_pointwise.hpp"

namespace onnxc::passes {
namespace {

using Order = std::vector<std::int64_t>;

// For each position along axis `axis`, the index of its element.
Tensor permuted(const Tensor& t, std::size_t axis, const Order& order) {
  const auto& dims = t.dims();
  std::int64_t outer = 1, inner = 1;
  for (std::size_t i = 0; i < dims.size(); ++i)
    (i < axis ? outer : inner) *= i == axis ? 1 : dims[i];
  const auto from = t.as<float>();
  std::vector<float> to;
  to.reserve(from.size());
  const auto extent = static_cast<std::int64_t>(order.size());
  for (std::int64_t o = 0; o < outer; ++o)
    for (const std::int64_t i : order) {
      const auto at = from.subspan(static_cast<std::size_t>((o * extent + i) * inner),
                                   static_cast<std::size_t>(inner));
      to.insert(to.end(), at.begin(), at.end());
    }
  return Tensor::of<float>(ElemType::float32, dims, to);
}

bool is_float_constant(const Value* v) {
  return v && v->constant && v->constant->elem() == ElemType::float32;
}

bool is_fast_conv(const Node& node) {
  return node.op == ops::find("", "Conv") && is_float_constant(node.inputs[1]) &&
         node.op->layout(node).prefers;
}

class Shuffles {
 public:
  explicit Shuffles(Graph& graph) : editor_(graph) {}

  void run() {
    const ops::Op& shuffle = ops::get("ShuffleChannels", "onnxc");
    editor_.each([&](Node& node) {
      if (node.op == &shuffle) fold(node);
    });
  }

 private:
  void fold(Node& shuffle) {
    const Type& type = shuffle.inputs[0]->type;
    if (!(*type.shape)[1].is_const()) return;
    const std::int64_t groups = ops::NodeView(shuffle).attr_int("groups");
    const std::int64_t channels = (*type.shape)[1].value();
    if (groups > kMaxShuffled) return;
    std::vector<Node*> passed;
    const Value* v = shuffle.outputs[0];
    Node* reader = only_reader(v);
    for (; reader && reader->inputs[0] == v && passes(*reader, channels); reader = only_reader(v)) {
      passed.push_back(reader);
      v = reader->outputs[0];
    }
    if (!reader || reader->inputs[0] != v || !can_gather(*reader, channels)) return;
    // Channel i of the input moves to place[i].
    Order place;
    for (std::int64_t g = 0; g < groups; ++g)
      for (std::int64_t c = 0; c < channels / groups; ++c) place.push_back(c * groups + g);
    for (Node* depthwise : passed) pass(*depthwise, place);
    gather(*reader, place, groups);
    editor_.replace(shuffle.outputs[0], shuffle.inputs[0]);
    Node& first = passed.empty() ? *reader : *passed.front();
    first.sources.insert(first.sources.end(), shuffle.sources.begin(), shuffle.sources.end());
    editor_.erase(shuffle);
  }

  // Whether the bias or an operand of the fused body has one value per channel. Operands of the
  // body are aligned with the axes of the result.
  static std::optional<std::size_t> channel_axis(const Node& node, std::size_t input) {
    const Shape& y = *node.outputs[0]->type.shape;
    const Tensor& t = *node.inputs[input]->constant;
    const bool of_body = input + node.body_inputs >= node.inputs.size();
    const std::size_t missing = of_body ? y.size() - t.dims().size() : 1;
    if (missing > 1 || !y[1].is(t.size()) || t.dims()[1 - missing] != t.size()) return std::nullopt;
    return 1 - missing;
  }

  // A depthwise convolution whose per-channel operands can all be permuted.
  static bool passes(const Node& node, std::int64_t channels) {
    if (!is_fast_conv(node) || ops::NodeView(node).attr_int("group") != channels) return false;
    const auto& dims = node.inputs[1]->constant->dims();
    if (dims[0] != channels || dims[1] != 1) return false;
    for (std::size_t i = 2; i < node.inputs.size(); ++i) {
      const Value* v = node.inputs[i];
      if (!v) continue;
      if (!is_float_constant(v) || (v->constant->size() != 1 && !channel_axis(node, i)))
        return false;
    }
    return true;
  }

  static bool can_gather(const Node& node, std::int64_t channels) {
    if (!is_fast_conv(node) || ops::NodeView(node).find_int("onnxc.shuffle")) return false;
    const ops::Convolution c = ops::read_convolution(ops::NodeView(node));
    if (c.group == 1) return true;
    if (c.group * node.inputs[1]->constant->dims()[1] != channels || c.in_channels.is(1))
      return false;
    for (std::size_t i = 0; i < c.window.rank(); ++i)
      if (!c.window.kernel[i].is(1) || c.window.stride[i] != 1 || !c.window.pad_begin[i].is(0) ||
          !c.window.pad_end[i].is(0))
        return false;
    return true;
  }

  void permute(Node& node, std::size_t input, std::size_t axis, const Order& order) {
    const Value& v = *node.inputs[input];
    node.inputs.set(input, editor_.constant(permuted(*v.constant, axis, order), v.name));
  }

  void pass(Node& depthwise, const Order& place) {
    permute(depthwise, 1, 0, place);
    for (std::size_t i = 2; i < depthwise.inputs.size(); ++i)
      if (const Value* v = depthwise.inputs[i]; v && v->constant->size() > 1)
        permute(depthwise, i, *channel_axis(depthwise, i), place);
  }

  // The weights of every group, permuted to the channel order of the unshuffled input.
  void gather(Node& conv, const Order& place, std::int64_t shuffle) {
    const std::int64_t each = conv.inputs[1]->constant->dims()[1];
    const auto channels = static_cast<std::int64_t>(place.size());
    if (each == channels) return permute(conv, 1, 1, place);
    const Tensor& w = *conv.inputs[1]->constant;
    const std::int64_t of_group = w.size() / (channels / each);
    std::vector<float> to;
    for (std::int64_t g = 0; g < channels / each; ++g)
      for (std::int64_t o = 0; o < of_group / each; ++o)
        for (const std::int64_t p : place)
          if (p / each == g)
            to.push_back(
                w.as<float>()[static_cast<std::size_t>(g * of_group + o * each + p % each)]);
    const Tensor ordered = Tensor::of<float>(ElemType::float32, w.dims(), to);
    conv.inputs.set(1, editor_.constant(ordered, conv.inputs[1]->name));
    conv.attributes.emplace("onnxc.shuffle", shuffle);
  }

  GraphEditor editor_;
};

}  // namespace

void fold_channel_shuffle(Graph& graph, PassContext&) { Shuffles(graph).run(); }

}  // namespace onnxc::passes
