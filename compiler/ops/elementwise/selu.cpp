// Selu: gamma * Elu(x, alpha).
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/selu.hpp"

namespace onnxc::ops::selu {
namespace {

// Opset 1 has the constants in five digits.
void upgrade(Upgrade& u) {
  u.remove("consumed_inputs");
  if (u.version() >= 6) return;
  if (!u.node().find("alpha")) u.set("alpha", 1.6732f);
  if (!u.node().find("gamma")) u.set("gamma", 1.0507f);
}

void fold(Fold& n) {
  const float alpha = n.attr_float("alpha");
  const float gamma = n.attr_float("gamma");
  fold_unary_real(n, [&](auto x) { return fn::selu(x, alpha, gamma); });
}

ScalarFn scalar(const Node& n) {
  return {.name = "selu",
          .literals = {real_literal(float_of(n, "alpha")), real_literal(float_of(n, "gamma"))}};
}

constexpr Op rows[] = {{
    .name = "Selu",
    .versions = "1 6 22",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "alpha:float=1.67326319217681884765625 gamma:float=1.05070102214813232421875 "
                  "consumed_inputs:ints@1-5",
    .upgrade = upgrade,
    .infer = infer_unary,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::selu
