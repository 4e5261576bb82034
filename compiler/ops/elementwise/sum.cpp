// Sum: sum of the operands.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/sum.hpp"

namespace onnxc::ops::sum {
namespace {

void fold(Fold& n) {
  fold_variadic(n, [](auto a, auto b) { return fn::sum(a, b); });
}

ScalarFn scalar(const Node&) { return {.name = "sum"}; }

constexpr Op rows[] = {{
    .name = "Sum",
    .versions = "1 6 8 13",
    .inputs = "data_0:T+",
    .outputs = "sum:T",
    .types = "T: floats",
    .attributes = "consumed_inputs:ints@1-5",
    .upgrade = upgrade_in_place,
    .infer = infer_broadcast,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::sum
