// Max: the largest operand; NaN wins.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/max.hpp"

namespace onnxc::ops::max {
namespace {

void infer(Infer& n) {
  infer_broadcast(n);
  if (n.input_count() == 2) propagate_selection(n, Dim::max);
}

void fold(Fold& n) {
  fold_variadic(n, [](auto a, auto b) { return fn::max(a, b); });
}

ScalarFn scalar(const Node&) { return {.name = "max"}; }

constexpr Op rows[] = {{
    .name = "Max",
    .versions = "1 6 8 12 13",
    .inputs = "data_0:T+",
    .outputs = "max:T",
    .types = "T: numeric",
    .attributes = "consumed_inputs:ints@1-5",
    .upgrade = upgrade_in_place,
    .infer = infer,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::max
