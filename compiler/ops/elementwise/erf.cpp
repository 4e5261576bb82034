// Erf: the error function.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/erf.hpp"

namespace onnxc::ops::erf {
namespace {

void fold(Fold& n) {
  fold_unary(n, [](auto x) { return fn::erf(x); });
}

ScalarFn scalar(const Node&) { return {.name = "erf"}; }

constexpr Op rows[] = {{
    .name = "Erf",
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
}  // namespace onnxc::ops::erf
