// Softplus: log(1 + exp(x)).
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/softplus.hpp"

namespace onnxc::ops::softplus {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::softplus(x); });
}

ScalarFn scalar(const Node&) { return {.name = "softplus"}; }

constexpr Op rows[] = {{
    .name = "Softplus",
    .versions = "1 22",
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
}  // namespace onnxc::ops::softplus
