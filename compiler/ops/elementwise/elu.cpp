// Elu: alpha * (exp(x) - 1) for negative values, else the value.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/elu.hpp"

namespace onnxc::ops::elu {
namespace {

void fold(Fold& n) {
  const float alpha = n.attr_float("alpha");
  fold_unary_real(n, [&](auto x) { return fn::elu(x, alpha); });
}

ScalarFn scalar(const Node& n) {
  return {.name = "elu", .literals = {real_literal(float_of(n, "alpha"))}};
}

constexpr Op rows[] = {{
    .name = "Elu",
    .versions = "1 6 22",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "alpha:float=1 consumed_inputs:ints@1-5",
    .upgrade = upgrade_in_place,
    .infer = infer_unary,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::elu
