// Layouts of values: the position of elements in memory, and the nodes that support it.
#include "compiler/ir/layout.hpp"

#include "compiler/ir/program.hpp"

namespace onnxc::ops {

LayoutRule layout_rule(const Node& node) {
  if (node.op->layout) return node.op->layout(node);
  const bool elementwise = node.op->scalar != nullptr;
  return {.accepts = elementwise, .all_inputs = true, .parts_in = elementwise};
}

View storage_view(const Value& v) {
  View view{*v.type.shape, {}, 0};
  Shape wide = view.dims;
  for (const Value* part = &v; part->view_of; part = part->view_of) {
    view.offset = view.offset + part->channel_offset;
    wide[1] = (*part->view_of->type.shape)[1];
  }
  view.strides = row_major(stored_shape(wide, v.layout));
  if (v.layout == Layout::channels_last && view.rank() >= 3) {
    view.strides.insert(view.strides.begin() + 1, view.strides.back());
    view.strides.pop_back();
  }
  return view;
}

namespace {

// Operands of the fused body that are read with the strides of the output.
std::size_t fused_tensors(const Node& n) {
  std::size_t count = 0;
  for (std::size_t i = n.inputs.size() - n.body_inputs; i < n.inputs.size(); ++i)
    if (n.inputs[i] && n.inputs[i]->type.shape == n.outputs[0]->type.shape) ++count;
  return count;
}

}  // namespace

// Fused operands of a kernel have the layout of its output. Conv is the exception: it can read one
// operand with strides of its own.
bool reads_parts(const Node& node, const Value& v) {
  const LayoutRule rule = layout_rule(node);
  if (!rule.parts_in) return false;
  const bool walks = node.op == find("", "Conv") && rule.part_out && fused_tensors(node) == 1 &&
                     v.type.shape == node.outputs[0]->type.shape;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] != &v) continue;
    const bool fused = i + node.body_inputs >= node.inputs.size();
    if (!(fused ? walks : i == 0 || rule.all_inputs)) return false;
  }
  return true;
}

bool writes_part(const Node& node) {
  return node.outputs.size() == 1 && layout_rule(node).part_out;
}

}  // namespace onnxc::ops
