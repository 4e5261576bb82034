// LeakyRelu: alpha * x for negative values, else the value.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/leaky_relu.hpp"

namespace onnxc::ops::leaky_relu {
namespace {

void fold(Fold& n) {
  const float alpha = n.attr_float("alpha");
  fold_unary_real(n, [&](auto x) { return fn::leaky_relu(x, alpha); });
}

ScalarFn scalar(const Node& n) {
  return {.name = "leaky_relu", .literals = {real_literal(float_of(n, "alpha"))}};
}

constexpr Op rows[] = {{
    .name = "LeakyRelu",
    .versions = "1 6 16",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "alpha:float=0.01 consumed_inputs:ints@1-5",
    .upgrade = upgrade_in_place,
    .infer = infer_unary,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::leaky_relu
