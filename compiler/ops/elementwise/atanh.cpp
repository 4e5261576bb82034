// Atanh: inverse hyperbolic tangent.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/atanh.hpp"

namespace onnxc::ops::atanh {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::atanh(x); });
}

ScalarFn scalar(const Node&) { return {.name = "atanh"}; }

constexpr Op rows[] = {{
    .name = "Atanh",
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
}  // namespace onnxc::ops::atanh
