// Shrink: moves values beyond lambd towards 0 by bias, others become 0.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/shrink.hpp"

namespace onnxc::ops::shrink {
namespace {

void fold(Fold& n) {
  const float lambda_ = n.attr_float("lambd");
  const float bias = n.attr_float("bias");
  fold_unary(n, [&](auto x) { return fn::shrink(x, lambda_, bias); });
}

ScalarFn scalar(const Node& n) {
  return {.name = "shrink",
          .literals = {real_literal(float_of(n, "lambd")), real_literal(float_of(n, "bias"))}};
}

constexpr Op rows[] = {{
    .name = "Shrink",
    .versions = "9",
    .inputs = "input:T",
    .outputs = "output:T",
    .types = "T: numeric",
    .attributes = "bias:float=0 lambd:float=0.5",
    .infer = infer_unary,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::shrink
