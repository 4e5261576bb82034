// Min: the smallest operand; NaN wins.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/min.hpp"

namespace onnxc::ops::min {
namespace {

void infer(Infer& n) {
  infer_broadcast(n);
  if (n.input_count() == 2) propagate_selection(n, Dim::min);
}

void fold(Fold& n) {
  fold_variadic(n, [](auto a, auto b) { return fn::min(a, b); });
}

ScalarFn scalar(const Node&) { return {.name = "min"}; }

constexpr Op rows[] = {{
    .name = "Min",
    .versions = "1 6 8 12 13",
    .inputs = "data_0:T+",
    .outputs = "min:T",
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
}  // namespace onnxc::ops::min
