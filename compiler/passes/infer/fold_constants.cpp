// Evaluating nodes at compile time, with the kernels that generated code uses.
#include "compiler/passes/infer/infer.hpp"

#include "compiler/ops/fold.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc::passes {
namespace {

// A result that is much larger than its inputs is cheaper to compute at run time, unless it is
// weights in a compact encoding, which kernels need packed: hence the generous limit of
// Graph::foldable_bytes on all results together.
bool foldable(const Node& node, std::int64_t& budget) {
  if (!node.op || !node.op->fold || !node.body.empty()) return false;
  std::int64_t total = 0;
  for (const Value* v : node.inputs)
    if (v && (!v->constant || v->type.elem == ElemType::string)) return false;
  for (const Value* v : node.outputs) {
    if (!v) continue;
    if (!v->type.is_static()) return false;
    const std::int64_t bytes = checked_mul(checked_product(fixed(*v->type.shape)),
                                           static_cast<std::int64_t>(elem_bytes(v->type.elem)));
    total = checked_add(total, bytes);
  }
  if (total > budget) return false;
  budget -= total;
  return true;
}

}  // namespace

bool fold_node(Node& node) {
  std::int64_t none = 0;
  if (!foldable(node, node.graph ? node.graph->root().foldable_bytes : none)) return false;
  ops::Fold fold(node);
  node.op->fold(fold);
  bool all = true;
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i] && !fold.results()[i]) all = false;
  if (!all) return false;
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i]) node.outputs[i]->constant = std::move(*fold.results()[i]);
  if (node.outputs[0]) node.outputs[0]->quantized = fold.quantized();
  return true;
}

Value* folded(GraphEditor& editor, Value* v) {
  if (v->producer && fold_node(*v->producer)) editor.erase(*v->producer);
  return v;
}

}  // namespace onnxc::passes
