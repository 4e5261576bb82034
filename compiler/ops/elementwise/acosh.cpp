// Acosh: inverse hyperbolic cosine.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/acosh.hpp"

namespace onnxc::ops::acosh {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::acosh(x); });
}

ScalarFn scalar(const Node&) { return {.name = "acosh"}; }

constexpr Op rows[] = {{
    .name = "Acosh",
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
}  // namespace onnxc::ops::acosh
