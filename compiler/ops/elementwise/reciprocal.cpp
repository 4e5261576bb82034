// Reciprocal: 1 / x.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/reciprocal.hpp"

namespace onnxc::ops::reciprocal {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::reciprocal(x); });
}

ScalarFn scalar(const Node&) { return {.name = "reciprocal"}; }

constexpr Op rows[] = {{
    .name = "Reciprocal",
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
}  // namespace onnxc::ops::reciprocal
