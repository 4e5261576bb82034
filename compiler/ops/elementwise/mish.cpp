// Mish: x * tanh(softplus(x)).
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/mish.hpp"

namespace onnxc::ops::mish {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::mish(x); });
}

ScalarFn scalar(const Node&) { return {.name = "mish"}; }

constexpr Op rows[] = {{
    .name = "Mish",
    .versions = "18 22",
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
}  // namespace onnxc::ops::mish
