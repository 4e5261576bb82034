// share_packed_rows: a GatherBlockQuantized from the weights of a MatMulNBits, as a language model
// has that shares them between embedding and logits, reads what is packed for the product.
// Requires: types. Produces: weights that are stored once. Leaves alone: other types than float32.
#include <algorithm>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

bool same_bytes(const Tensor* a, const Tensor* b) {
  if (!a || !b) return a == b;
  return a->elem() == b->elem() && std::ranges::equal(a->bytes(), b->bytes());
}

// Whether the product reads packed weights, whose rows the other node gathers.
bool are_shared(const Node& product, const Node& gather) {
  const ops::NodeView p(product), g(gather);
  if (p.input(0).elem != ElemType::float32 || !p.constant(1) || !p.constant(2)) return false;
  if (p.has_input(3) != g.has_input(3) || (p.has_input(3) && !p.constant(3))) return false;
  for (const char* name : {"bits", "block_size"})
    if (p.attr_int(name) != g.attr_int(name)) return false;
  return g.constant(0)->dims()[0] == p.attr_int("N") && same_bytes(p.constant(2), g.constant(2)) &&
         same_bytes(p.constant(3), g.constant(3)) && same_bytes(p.constant(1), g.constant(0));
}

bool is_table(const Node& node) {
  if (node.op->name != "GatherBlockQuantized") return false;
  const ops::NodeView n(node);
  return n.constant(0) && n.constant(0)->elem() == ElemType::uint8 &&
         n.constant(0)->dims().size() == 2 && n.constant(2) &&
         n.constant(2)->elem() == ElemType::float32;
}

}  // namespace

void share_packed_rows(Graph& graph, PassContext&) {
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    if (!is_table(node)) return;
    const auto product = std::ranges::find_if(graph.nodes, [&](const auto& other) {
      return other->op->name == "MatMulNBits" && are_shared(*other, node);
    });
    if (product == graph.nodes.end()) return;
    std::vector<Value*> inputs = {node.inputs[1], (*product)->inputs[1], (*product)->inputs[2]};
    if (ops::NodeView(node).has_input(3)) inputs.push_back((*product)->inputs[3]);
    Attributes attributes;
    const ops::NodeView p(**product);
    for (const char* name : {"K", "N", "bits", "block_size"}) attributes[name] = p.attr_int(name);
    const std::vector<Value*> rows = {node.outputs[0]};
    editor.emit_as(rows, ops::get("GatherPackedRows", "onnxc"), inputs, std::move(attributes));
    editor.erase(node);
  });
}

}  // namespace onnxc::passes
