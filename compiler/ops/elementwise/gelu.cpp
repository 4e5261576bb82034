// Gelu: x times the normal distribution function, exact or by the tanh formula.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/gelu.hpp"

namespace onnxc::ops::gelu {
namespace {

bool by_tanh(const Node& n) { return NodeView(n).attr_string("approximate") == "tanh"; }

void infer(Infer& n) {
  const std::string& how = n.attr_string("approximate");
  n.require(how == "none" || how == "tanh", "attribute \"approximate\"",
            "{} is neither none nor tanh", quoted(how));
  infer_unary(n);
}

void fold(Fold& n) {
  if (by_tanh(n.node()))
    fold_unary_real(n, [](auto x) { return fn::gelu_tanh(x); });
  else
    fold_unary_real(n, [](auto x) { return fn::gelu(x); });
}

ScalarFn scalar(const Node& n) {
  return {.name = by_tanh(n) ? "gelu_tanh" : "gelu", .literals = {}, .header = "gelu"};
}

constexpr Op rows[] = {{
    .name = "Gelu",
    .versions = "20",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "approximate:string=none",
    .infer = infer,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::gelu
