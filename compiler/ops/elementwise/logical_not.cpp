// Not of a boolean.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/logical_not.hpp"

namespace onnxc::ops::logical_not {
namespace {

void fold(Fold& n) {
  fold_map<bool, bool>(n, [](bool x) { return fn::logical_not(x); });
}

ScalarFn scalar(const Node&) {
  return {.name = "logical_not", .literals = {}, .vectorises = false};
}

constexpr Op rows[] = {{
    .name = "Not",
    .versions = "1",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: bool",
    .infer = infer_unary,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::logical_not
