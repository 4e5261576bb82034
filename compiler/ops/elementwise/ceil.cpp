// Ceil: rounds up.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/ceil.hpp"

namespace onnxc::ops::ceil {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::ceil(x); });
}

ScalarFn scalar(const Node&) { return {.name = "ceil"}; }

constexpr Op rows[] = {{
    .name = "Ceil",
    .versions = "1 6 13",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "consumed_inputs:ints@1-5",
    .upgrade = upgrade_in_place,
    .infer = infer_unary,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::ceil
