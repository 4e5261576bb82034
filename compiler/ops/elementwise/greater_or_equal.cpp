// GreaterOrEqual: a >= b.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/greater_or_equal.hpp"

namespace onnxc::ops::greater_or_equal {
namespace {

void fold(Fold& n) {
  fold_compare(n, [](auto a, auto b) { return fn::greater_or_equal(a, b); });
}

ScalarFn scalar(const Node&) {
  return {.name = "greater_or_equal", .literals = {}, .vectorises = false};
}

constexpr Op rows[] = {{
    .name = "GreaterOrEqual",
    .versions = "12 16",
    .inputs = "A:T B:T",
    .outputs = "C:bool",
    .types = "T: numeric",
    .infer = infer_broadcast_bool,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::greater_or_equal
