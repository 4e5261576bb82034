// Softsign: x / (1 + |x|).
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/softsign.hpp"

namespace onnxc::ops::softsign {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::softsign(x); });
}

ScalarFn scalar(const Node&) { return {.name = "softsign"}; }

constexpr Op rows[] = {{
    .name = "Softsign",
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
}  // namespace onnxc::ops::softsign
