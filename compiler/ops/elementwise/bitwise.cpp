// BitwiseAnd, BitwiseOr, BitwiseXor and BitwiseNot of integers; BitShift of unsigned ones.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/bitwise.hpp"

namespace onnxc::ops::bitwise {
namespace {

bool left(const Node& n) { return NodeView(n).attr_string("direction") == "LEFT"; }

void infer_bit_shift(Infer& n) {
  const std::string& direction = n.attr_string("direction");
  n.require(direction == "LEFT" || direction == "RIGHT", "attribute \"direction\"",
            "{} is neither LEFT nor RIGHT", quoted(direction));
  infer_broadcast(n);
}

void fold_bit_shift(Fold& n) {
  if (left(n.node()))
    fold_elements<2>(n, kUnsigned, [](auto x, auto by) { return fn::shift_left(x, by); });
  else
    fold_elements<2>(n, kUnsigned, [](auto x, auto by) { return fn::shift_right(x, by); });
}

ScalarFn scalar_bit_shift(const Node& n) {
  return left(n) ? scalar_fn<"shift_left", false>(n) : scalar_fn<"shift_right", false>(n);
}

constexpr Op rows[] = {binary<"bitwise_and">(kIntegers, {.name = "BitwiseAnd", .versions = "18"},
                                             [](auto a, auto b) { return fn::bitwise_and(a, b); }),
                       binary<"bitwise_or">(kIntegers, {.name = "BitwiseOr", .versions = "18"},
                                            [](auto a, auto b) { return fn::bitwise_or(a, b); }),
                       binary<"bitwise_xor">(kIntegers, {.name = "BitwiseXor", .versions = "18"},
                                             [](auto a, auto b) { return fn::bitwise_xor(a, b); }),
                       unary<"bitwise_not">(kIntegers, {.name = "BitwiseNot", .versions = "18"},
                                            [](auto x) { return fn::bitwise_not(x); }),
                       binary({.name = "BitShift",
                               .versions = "11",
                               .inputs = "X:T Y:T",
                               .outputs = "Z:T",
                               .types = "T: unsigned",
                               .attributes = "direction:string!",
                               .infer = infer_bit_shift,
                               .fold = fold_bit_shift,
                               .scalar = scalar_bit_shift})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::bitwise
