// Mean: mean of the operands.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/mean.hpp"

namespace onnxc::ops::mean {
namespace {

void fold(Fold& n) {
  if (n.input_count() == 1) fold_unary_real(n, [](auto x) { return fn::mean(x); });
  if (n.input_count() == 2) fold_binary_real(n, [](auto a, auto b) { return fn::mean(a, b); });
}

ScalarFn scalar(const Node&) { return {.name = "mean"}; }

constexpr Op rows[] = {{
    .name = "Mean",
    .versions = "1 6 8 13",
    .inputs = "data_0:T+",
    .outputs = "mean:T",
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
}  // namespace onnxc::ops::mean
