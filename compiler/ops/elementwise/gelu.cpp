// Gelu: x times the normal distribution function, exact or by the tanh approximation.
#include "compiler/ops/elementwise/rows.hpp"

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
    fold_elements<1>(n, kFloats, [](auto x) { return fn::gelu_tanh(x); });
  else
    fold_elements<1>(n, kFloats, [](auto x) { return fn::gelu(x); });
}

ScalarFn scalar(const Node& n) {
  return by_tanh(n) ? scalar_fn<"gelu/gelu_tanh">(n) : scalar_fn<"gelu">(n);
}

constexpr Op rows[] = {unary({.name = "Gelu",
                              .versions = "20",
                              .types = "T: floats",
                              .attributes = "approximate:string=none",
                              .infer = infer,
                              .fold = fold,
                              .scalar = scalar})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::gelu
