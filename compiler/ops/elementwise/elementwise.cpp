#include "compiler/ops/elementwise/elementwise.hpp"

#include "compiler/support/checked.hpp"

namespace onnxc::ops {

void infer_unary(Infer& n) { n.output(0, n.input(0)); }

LayoutRule layout_elementwise(const Node&) { return {.accepts = true, .all_inputs = true}; }

void upgrade_in_place(Upgrade& u) { u.remove("consumed_inputs"); }

void upgrade_broadcast(Upgrade& u) {
  const std::optional<std::int64_t> axis = u.find_int("axis");
  const bool broadcast = u.find_int("broadcast").value_or(0) != 0;
  if (broadcast && axis && u.has_input(0) && u.has_input(1)) {
    // Ranks are not known yet: an operator of our own moves the shape once they are.
    Value* moved = u.emit("Identity", {u.node().inputs[1], u.node().inputs[0]}, {{"axis", *axis}});
    u.before.back()->op = &get("AlignAxis", "onnxc");
    u.set_input(1, moved);
  }
  u.remove("axis");
  u.remove("broadcast");
  u.remove("consumed_inputs");
}

bool worth_folding(const Fold& n) {
  if (n.out_elem(0) == ElemType::string) return false;
  constexpr std::int64_t kSmall = 64 << 20;
  const auto bytes_of = [](std::int64_t count, ElemType elem) {
    return checked_mul(count, static_cast<std::int64_t>(elem_bytes(elem)));
  };
  std::int64_t from = 0;
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (n.has_input(i)) from = checked_add(from, bytes_of(n.in(i).size(), n.in(i).elem()));
  const std::int64_t to = bytes_of(checked_product(n.out_dims(0)), n.out_elem(0));
  return to <= kSmall || to / 2 <= from;
}

float float_of(const Node& node, const std::string& attribute) {
  return NodeView(node).attr_float(attribute);
}

BroadcastWalk::BroadcastWalk(const std::vector<std::int64_t>& out,
                             const std::vector<std::int64_t>& own)
    : extent_(out), stride_(out.size(), 0), at_(out.size(), 0) {
  const std::size_t skip = out.size() - own.size();
  std::int64_t stride = 1;
  for (std::size_t k = own.size(); k-- > 0; stride = checked_mul(stride, own[k]))
    if (own[k] != 1) stride_[skip + k] = stride;
}

std::size_t BroadcastWalk::next() {
  const auto now = static_cast<std::size_t>(index_);
  for (std::size_t k = extent_.size(); k-- > 0;) {
    index_ += stride_[k];
    if (++at_[k] < extent_[k]) break;
    index_ -= stride_[k] * extent_[k];
    at_[k] = 0;
  }
  return now;
}

}  // namespace onnxc::ops
