// Atan: arc tangent.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/atan.hpp"

namespace onnxc::ops::atan {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::atan(x); });
}

ScalarFn scalar(const Node&) { return {.name = "atan"}; }

constexpr Op rows[] = {{
    .name = "Atan",
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
}  // namespace onnxc::ops::atan
