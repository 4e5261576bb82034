// Sign: -1, 0 or 1.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/sign.hpp"

namespace onnxc::ops::sign {
namespace {

void fold(Fold& n) {
  fold_unary(n, [](auto x) { return fn::sign(x); });
}

ScalarFn scalar(const Node&) { return {.name = "sign"}; }

constexpr Op rows[] = {{
    .name = "Sign",
    .versions = "9 13",
    .inputs = "input:T",
    .outputs = "output:T",
    .types = "T: numeric",
    .infer = infer_unary,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::sign
