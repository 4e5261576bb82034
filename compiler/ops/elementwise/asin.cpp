// Asin: arc sine.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/asin.hpp"

namespace onnxc::ops::asin {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::asin(x); });
}

ScalarFn scalar(const Node&) { return {.name = "asin"}; }

constexpr Op rows[] = {{
    .name = "Asin",
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
}  // namespace onnxc::ops::asin
