// Relu: 0 for negative values, else the value.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/relu.hpp"

namespace onnxc::ops::relu {
namespace {

void fold(Fold& n) {
  fold_unary(n, [](auto x) { return fn::relu(x); });
}

ScalarFn scalar(const Node&) { return {.name = "relu"}; }

constexpr Op rows[] = {{
    .name = "Relu",
    .versions = "1 6 13 14",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats signed",
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
}  // namespace onnxc::ops::relu
