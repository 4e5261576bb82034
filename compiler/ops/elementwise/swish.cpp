// Swish: x * sigmoid(alpha * x).
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/swish.hpp"

namespace onnxc::ops::swish {
namespace {

void fold(Fold& n) {
  const float alpha = n.attr_float("alpha");
  fold_unary_real(n, [&](auto x) { return fn::swish(x, alpha); });
}

ScalarFn scalar(const Node& n) {
  return {.name = "swish", .literals = {real_literal(float_of(n, "alpha"))}};
}

constexpr Op rows[] = {{
    .name = "Swish",
    .versions = "24",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "alpha:float=1",
    .infer = infer_unary,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::swish
