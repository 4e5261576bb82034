// Celu: alpha * (exp(x / alpha) - 1) for negative values, else the value.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/celu.hpp"

namespace onnxc::ops::celu {
namespace {

void fold(Fold& n) {
  const float alpha = n.attr_float("alpha");
  fold_unary_real(n, [&](auto x) { return fn::celu(x, alpha); });
}

ScalarFn scalar(const Node& n) {
  return {.name = "celu", .literals = {real_literal(float_of(n, "alpha"))}};
}

constexpr Op rows[] = {{
    .name = "Celu",
    .versions = "12 28",
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
}  // namespace onnxc::ops::celu
