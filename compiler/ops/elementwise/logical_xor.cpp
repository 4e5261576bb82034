// Xor of two booleans.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/logical_xor.hpp"

namespace onnxc::ops::logical_xor {
namespace {

void fold(Fold& n) {
  fold_map<bool, bool, bool>(n, [](bool a, bool b) { return fn::logical_xor(a, b); });
}

ScalarFn scalar(const Node&) {
  return {.name = "logical_xor", .literals = {}, .vectorises = false};
}

constexpr Op rows[] = {{
    .name = "Xor",
    .versions = "1 7",
    .inputs = "A:T B:T",
    .outputs = "C:bool",
    .types = "T: bool",
    .attributes = "axis:int@1-6 broadcast:int=0@1-6",
    .upgrade = upgrade_broadcast,
    .infer = infer_broadcast_bool,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::logical_xor
