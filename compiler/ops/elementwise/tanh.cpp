// Tanh: hyperbolic tangent.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/tanh.hpp"

namespace onnxc::ops::tanh {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::tanh(x); });
}

ScalarFn scalar(const Node&) { return {.name = "tanh"}; }

constexpr Op rows[] = {{
    .name = "Tanh",
    .versions = "1 6 13",
    .inputs = "input:T",
    .outputs = "output:T",
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
}  // namespace onnxc::ops::tanh
