// Acos: arc cosine.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/acos.hpp"

namespace onnxc::ops::acos {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::acos(x); });
}

ScalarFn scalar(const Node&) { return {.name = "acos"}; }

constexpr Op rows[] = {{
    .name = "Acos",
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
}  // namespace onnxc::ops::acos
