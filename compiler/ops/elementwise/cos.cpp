// Cos: cosine.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/cos.hpp"

namespace onnxc::ops::cos {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::cos(x); });
}

ScalarFn scalar(const Node&) { return {.name = "cos"}; }

constexpr Op rows[] = {{
    .name = "Cos",
    .versions = "7 22",
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
}  // namespace onnxc::ops::cos
