// ThresholdedRelu: the value above alpha, else 0.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/thresholded_relu.hpp"

namespace onnxc::ops::thresholded_relu {
namespace {

void fold(Fold& n) {
  const float alpha = n.attr_float("alpha");
  fold_unary_real(n, [&](auto x) { return fn::thresholded_relu(x, alpha); });
}

ScalarFn scalar(const Node& n) {
  return {.name = "thresholded_relu", .literals = {real_literal(float_of(n, "alpha"))}};
}

constexpr Op rows[] = {{
    .name = "ThresholdedRelu",
    .versions = "1 10 22",  // before 10 it was experimental, with the same meaning
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
}  // namespace onnxc::ops::thresholded_relu
