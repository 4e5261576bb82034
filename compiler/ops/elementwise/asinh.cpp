// Asinh: inverse hyperbolic sine.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/asinh.hpp"

namespace onnxc::ops::asinh {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::asinh(x); });
}

ScalarFn scalar(const Node&) { return {.name = "asinh"}; }

constexpr Op rows[] = {{
    .name = "Asinh",
    .versions = "9 22",
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
}  // namespace onnxc::ops::asinh
