// Sinh: hyperbolic sine.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/sinh.hpp"

namespace onnxc::ops::sinh {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::sinh(x); });
}

ScalarFn scalar(const Node&) { return {.name = "sinh"}; }

constexpr Op rows[] = {{
    .name = "Sinh",
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
}  // namespace onnxc::ops::sinh
