// Sub: difference, integers wrap.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/sub.hpp"

namespace onnxc::ops::sub {
namespace {

void infer(Infer& n) {
  infer_broadcast(n);
  propagate_extents(n, [](const Dim& a, const Dim& b) { return a - b; });
}

void fold(Fold& n) {
  fold_binary(n, [](auto a, auto b) { return fn::sub(a, b); });
}

ScalarFn scalar(const Node&) { return {.name = "sub"}; }

constexpr Op rows[] = {{
    .name = "Sub",
    .versions = "1 6 7 13 14",
    .inputs = "A:T B:T",
    .outputs = "C:T",
    .types = "T: numeric",
    .attributes = "axis:int@1-6 broadcast:int=0@1-6 consumed_inputs:ints@1-5",
    .upgrade = upgrade_broadcast,
    .infer = infer,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::sub
