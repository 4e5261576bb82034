// Greater: a > b.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/greater.hpp"

namespace onnxc::ops::greater {
namespace {

void fold(Fold& n) {
  fold_compare(n, [](auto a, auto b) { return fn::greater(a, b); });
}

ScalarFn scalar(const Node&) { return {.name = "greater", .literals = {}, .vectorises = false}; }

constexpr Op rows[] = {{
    .name = "Greater",
    .versions = "1 7 9 13",
    .inputs = "A:T B:T",
    .outputs = "C:bool",
    .types = "T: numeric",
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
}  // namespace onnxc::ops::greater
