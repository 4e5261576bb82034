// Abs: magnitude.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/abs.hpp"

namespace onnxc::ops::abs {
namespace {

void fold(Fold& n) {
  fold_unary(n, [](auto x) { return fn::abs(x); });
}

ScalarFn scalar(const Node&) { return {.name = "abs"}; }

constexpr Op rows[] = {{
    .name = "Abs",
    .versions = "1 6 13",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: numeric",
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
}  // namespace onnxc::ops::abs
