// HardSwish: x * HardSigmoid(x, 1/6, 1/2).
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/hard_swish.hpp"

namespace onnxc::ops::hard_swish {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::hard_swish(x); });
}

ScalarFn scalar(const Node&) { return {.name = "hard_swish"}; }

constexpr Op rows[] = {{
    .name = "HardSwish",
    .versions = "14 22",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .infer = infer_unary,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::hard_swish
