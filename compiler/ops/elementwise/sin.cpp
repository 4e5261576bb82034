// Sin: sine.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/sin.hpp"

namespace onnxc::ops::sin {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::sin(x); });
}

ScalarFn scalar(const Node&) { return {.name = "sin"}; }

constexpr Op rows[] = {{
    .name = "Sin",
    .versions = "7 22",
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
}  // namespace onnxc::ops::sin
