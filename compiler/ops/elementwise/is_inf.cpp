// IsInf: whether an element is an infinity of a wanted sign.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/is_inf.hpp"

namespace onnxc::ops::is_inf {
namespace {

bool wanted(const Node& n, const char* sign) { return NodeView(n).attr_int(sign) != 0; }

void fold(Fold& n) {
  const bool negative = wanted(n.node(), "detect_negative");
  const bool positive = wanted(n.node(), "detect_positive");
  with_real(n.in(0).elem(), [&](auto tag) {
    fold_map<bool, decltype(tag)>(n, [&](auto x) { return fn::is_inf(x, negative, positive); });
  });
}

ScalarFn scalar(const Node& n) {
  return {.name = "is_inf",
          .literals = {bool_literal(wanted(n, "detect_negative")),
                       bool_literal(wanted(n, "detect_positive"))},
          .vectorises = false};
}

constexpr Op rows[] = {{
    .name = "IsInf",
    .versions = "10 20",
    .inputs = "X:T1",
    .outputs = "Y:bool",
    .types = "T1: floats float8",
    .attributes = "detect_negative:int=1 detect_positive:int=1",
    .infer = infer_broadcast_bool,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::is_inf
