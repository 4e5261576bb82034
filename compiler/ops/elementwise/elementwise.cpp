// Inference, layout and old attributes of element-wise operators.
#include "compiler/ops/elementwise/elementwise.hpp"

namespace onnxc::ops {

void infer_unary(Infer& n) { n.output(0, n.input(0)); }

LayoutRule layout_elementwise(const Node&) { return {.accepts = true, .all_inputs = true}; }

void upgrade_in_place(Upgrade& u) { u.remove("consumed_inputs"); }

void upgrade_broadcast(Upgrade& u) {
  const std::optional<std::int64_t> axis = u.find_int("axis");
  const bool broadcast = u.find_int("broadcast").value_or(0) != 0;
  if (broadcast && axis && u.has_input(0) && u.has_input(1)) {
    // Ranks are not known yet: onnxc::AlignAxis moves the axes once they are.
    Value* moved = u.emit("Identity", {u.node().inputs[1], u.node().inputs[0]}, {{"axis", *axis}});
    u.before.back()->op = &get("AlignAxis", "onnxc");
    u.set_input(1, moved);
  }
  u.remove("axis");
  u.remove("broadcast");
  u.remove("consumed_inputs");
}

float float_of(const Node& node, const std::string& attribute) {
  return NodeView(node).attr_float(attribute);
}

}  // namespace onnxc::ops
