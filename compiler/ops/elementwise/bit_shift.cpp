// BitShift: shifts unsigned integers left or right.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/bit_shift.hpp"

namespace onnxc::ops::bit_shift {
namespace {

bool left(const Node& n) { return NodeView(n).attr_string("direction") == "LEFT"; }

void infer(Infer& n) {
  const std::string& direction = n.attr_string("direction");
  n.require(direction == "LEFT" || direction == "RIGHT", "attribute \"direction\"",
            "{} is neither LEFT nor RIGHT", quoted(direction));
  infer_broadcast(n);
}

template <class F>
void fold_unsigned(Fold& n, F f) {
  with_plain_type(n.out_elem(0), [&](auto tag) {
    using T = decltype(tag);
    if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>) fold_map<T, T, T>(n, f);
  });
}

void fold(Fold& n) {
  if (left(n.node()))
    fold_unsigned(n, [](auto x, auto by) { return fn::shift_left(x, by); });
  else
    fold_unsigned(n, [](auto x, auto by) { return fn::shift_right(x, by); });
}

ScalarFn scalar(const Node& n) {
  return {.name = left(n) ? "shift_left" : "shift_right",
          .literals = {},
          .vectorises = false,
          .header = "bit_shift"};
}

constexpr Op rows[] = {{
    .name = "BitShift",
    .versions = "11",
    .inputs = "X:T Y:T",
    .outputs = "Z:T",
    .types = "T: unsigned",
    .attributes = "direction:string!",
    .infer = infer,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::bit_shift
