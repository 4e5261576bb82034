// Sigmoid: 1 / (1 + exp(-x)).
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/sigmoid.hpp"

namespace onnxc::ops::sigmoid {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::sigmoid(x); });
}

ScalarFn scalar(const Node&) { return {.name = "sigmoid"}; }

constexpr Op rows[] = {{
    .name = "Sigmoid",
    .versions = "1 6 13",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "consumed_inputs:ints@1-5",
    .upgrade = upgrade_in_place,
    .infer = infer_unary,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::sigmoid
