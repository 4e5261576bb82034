// Cosh: hyperbolic cosine.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/cosh.hpp"

namespace onnxc::ops::cosh {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::cosh(x); });
}

ScalarFn scalar(const Node&) { return {.name = "cosh"}; }

constexpr Op rows[] = {{
    .name = "Cosh",
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
}  // namespace onnxc::ops::cosh
