// fold_pad: a Pad with zeros before a Conv, also with a pair of quantisation and
// dequantisation between them, becomes pads of the Conv, so that no padded image is in memory.
// Requires: types. Produces: fewer Pad nodes. Leaves alone: results with other readers, pads that
// crop or that are known only at run time.
#include <algorithm>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc::passes {
namespace {

using Ints = std::vector<std::int64_t>;

bool is_zero(const Tensor& t) {
  const auto bytes = t.bytes();
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

// Pads of the spatial axes, first all begins, then all ends, as Conv has them.
std::optional<Ints> spatial_pads(const Node& pad) {
  const ops::NodeView n(pad);
  const std::size_t rank = n.input(0).rank();
  const auto pads = n.ints(1);
  const auto axes = n.has_input(3) ? n.ints(3) : std::nullopt;
  if (n.attr_string("mode") != "constant" || !pads || (n.has_input(3) && !axes)) return {};
  if (n.has_input(2) && (!n.constant(2) || !is_zero(*n.constant(2)))) return {};
  const std::size_t count = axes ? axes->size() : rank;
  Ints all(2 * rank, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t axis = axes ? n.axis((*axes)[i], rank, "input 3 \"axes\"") : i;
    all[axis] = (*pads)[i];
    all[rank + axis] = (*pads)[count + i];
  }
  const auto outside = [&](std::size_t first) { return all[first] != 0 || all[first + 1] != 0; };
  if (rank < 3 || outside(0) || outside(rank)) return {};
  if (std::any_of(all.begin(), all.end(), [](auto p) { return p < 0; })) return {};
  Ints spatial(all.begin() + 2, all.begin() + static_cast<std::ptrdiff_t>(rank));
  spatial.insert(spatial.end(), all.begin() + static_cast<std::ptrdiff_t>(rank) + 2, all.end());
  return spatial;
}

bool same_parameters(const Node& quantize, const Node& dequantize) {
  if (quantize.inputs.size() != dequantize.inputs.size()) return false;
  for (std::size_t i = 1; i < quantize.inputs.size(); ++i) {
    const Value *a = quantize.inputs[i], *b = dequantize.inputs[i];
    if (a == b) continue;
    if (!a || !b || !a->constant || !b->constant || a->constant->elem() != b->constant->elem() ||
        !std::ranges::equal(a->constant->bytes(), b->constant->bytes()))
      return false;
  }
  return quantize.inputs[1]->constant && quantize.inputs[1]->constant->size() == 1;
}

// The nodes from the Pad to the reader of its padded image, the Pad last: Pad alone, or the pair
// that quantises and dequantises, which keeps zeros as they are. Empty if there is no Pad.
std::vector<Node*> pad_in_front(const Value* x) {
  Node* const last = x ? producer_for_one(*x) : nullptr;
  if (!last) return {};
  if (is_a(last, "Pad")) return {last};
  Node* const quantize =
      is_a(last, "DequantizeLinear") ? producer_for_one(*last->inputs[0]) : nullptr;
  if (!quantize || !is_a(quantize, "QuantizeLinear") || !same_parameters(*quantize, *last))
    return {};
  Node* const pad = producer_for_one(*quantize->inputs[0]);
  return is_a(pad, "Pad") ? std::vector{last, quantize, pad} : std::vector<Node*>{};
}

// The pads of the convolution with those before it; nullopt where a kernel does not have them.
std::optional<Ints> all_pads(const Node& conv, const Ints& in_front) {
  const ops::NodeView n(conv);
  const bool automatic = n.has_attr("auto_pad") && n.attr_string("auto_pad") != "NOTSET" &&
                         n.attr_string("auto_pad") != "VALID" && !n.attr_string("auto_pad").empty();
  if (automatic) return {};
  Ints pads = in_front;
  const Ints* own = n.find_ints("pads");
  for (std::size_t i = 0; own && i < pads.size(); ++i) pads[i] = checked_add(pads[i], (*own)[i]);
  return pads;
}

void fold(Graph& graph, GraphEditor& editor, Node& conv) {
  const std::vector<Node*> nodes = pad_in_front(conv.inputs[0]);
  if (nodes.empty()) return;
  Node& pad = *nodes.back();
  for (const Node* node : nodes)
    if (node->graph != &graph) return;
  if (!pad.outputs[0]->type.has_rank() || pad.inputs[0]->type.elem == ElemType::undefined) return;
  const auto in_front = spatial_pads(pad);
  const auto pads = in_front ? all_pads(conv, *in_front) : std::nullopt;
  if (!pads) return;
  conv.attributes.erase("auto_pad");
  conv.attributes["pads"] = *pads;
  add_sources(conv.sources, pad.sources);
  Value* const image = pad.inputs[0];
  Node& reader = nodes.size() == 1 ? conv : *nodes[nodes.size() - 2];
  reader.inputs.set(0, image);
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i)
    nodes[i]->outputs[0]->type.shape = image->type.shape;
  editor.erase(pad);
}

}  // namespace

void fold_pad(Graph& graph, PassContext&) {
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    if (is_a(&node, "Conv")) fold(graph, editor, node);
  });
}

}  // namespace onnxc::passes
