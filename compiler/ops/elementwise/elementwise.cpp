// Inference, layout and old attributes of element-wise operators.
#include "compiler/ops/elementwise/elementwise.hpp"

namespace onnxc::ops {

void infer_unary(Infer& n) { n.output(0, n.input(0)); }

void gradient_of_selection(Gradient& n) {
  if (n.input_count() == 1) return n.dx(0, n.dy());
  if (n.node().find(kFirstWins)) {
    const Term first = n.x(0) == n.y();
    n.dx_summed(0, choose(first, n.dy(), 0.0));
    if (n.wants(1)) n.dx_summed(1, choose(first, 0.0, n.dy()));
    return;
  }
  Term count = convert(n.x(0) == n.y(), n.dy().type().elem);
  for (std::size_t i = 1; i < n.input_count(); ++i)
    count = count + convert(n.x(i) == n.y(), n.dy().type().elem);
  const Term share = n.dy() / count;
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (n.wants(i)) n.dx_summed(i, choose(n.x(i) == n.y(), share, 0.0));
}

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
