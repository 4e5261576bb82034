// Round: the nearest integer, halves to even.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/round.hpp"

namespace onnxc::ops::round {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::round(x); });
}

ScalarFn scalar(const Node&) { return {.name = "round"}; }

constexpr Op rows[] = {{
    .name = "Round",
    .versions = "11 22",
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
}  // namespace onnxc::ops::round
