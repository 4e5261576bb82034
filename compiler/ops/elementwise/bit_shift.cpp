// BitShift: shifts unsigned integers left or right.
#include "compiler/ops/elementwise/rows.hpp"

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

void fold(Fold& n) {
  if (left(n.node()))
    fold_elements<2>(n, kUnsigned, [](auto x, auto by) { return fn::shift_left(x, by); });
  else
    fold_elements<2>(n, kUnsigned, [](auto x, auto by) { return fn::shift_right(x, by); });
}

ScalarFn scalar(const Node& n) {
  return left(n) ? scalar_fn<"bit_shift/shift_left", false>(n)
                 : scalar_fn<"bit_shift/shift_right", false>(n);
}

constexpr Op rows[] = {binary({.name = "BitShift",
                               .versions = "11",
                               .inputs = "X:T Y:T",
                               .outputs = "Z:T",
                               .types = "T: unsigned",
                               .attributes = "direction:string!",
                               .infer = infer,
                               .fold = fold,
                               .scalar = scalar})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::bit_shift
