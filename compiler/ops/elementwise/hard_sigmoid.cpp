// HardSigmoid: alpha * x + beta between 0 and 1.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/hard_sigmoid.hpp"

namespace onnxc::ops::hard_sigmoid {
namespace {

void fold(Fold& n) {
  const float alpha = n.attr_float("alpha");
  const float beta = n.attr_float("beta");
  fold_unary_real(n, [&](auto x) { return fn::hard_sigmoid(x, alpha, beta); });
}

ScalarFn scalar(const Node& n) {
  return {.name = "hard_sigmoid",
          .literals = {real_literal(float_of(n, "alpha")), real_literal(float_of(n, "beta"))}};
}

constexpr Op rows[] = {{
    .name = "HardSigmoid",
    .versions = "1 6 22",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "alpha:float=0.2 beta:float=0.5 consumed_inputs:ints@1-5",
    .upgrade = upgrade_in_place,
    .infer = infer_unary,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::hard_sigmoid
