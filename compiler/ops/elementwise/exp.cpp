// Exp: e to the power of x.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/exp.hpp"

namespace onnxc::ops::exp {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::exp(x); });
}

ScalarFn scalar(const Node&) { return {.name = "exp"}; }

constexpr Op rows[] = {{
    .name = "Exp",
    .versions = "1 6 13",
    .inputs = "input:T",
    .outputs = "output:T",
    .types = "T: floats",
    .attributes = "consumed_inputs:ints@1-5",
    .upgrade = upgrade_in_place,
    .infer = infer_unary,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::exp
