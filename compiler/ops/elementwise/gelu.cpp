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

// P(x) + x p(x), with the normal distribution function P and its density p.
Term exact_slope(Term x) {
  const Term distribution = 0.5 * apply("Erf", x * std::sqrt(0.5)) + 0.5;
  const double scale = 1 / std::sqrt(2 * std::acos(-1.0));
  return distribution + x * (scale * apply("Exp", x * x * -0.5));
}

// The derivative of x (1 + t) / 2 with t = tanh(a (x + b x^3)).
Term tanh_slope(Term x) {
  const double a = std::sqrt(2 / std::acos(-1.0)), b = 0.044715;
  const Term square = x * x;
  const Term t = apply("Tanh", a * (x * (b * square + 1.0)));
  const Term inner = a * (3 * b * square + 1.0);
  return 0.5 * (t + 1.0) + 0.5 * x * ((1.0 - t * t) * inner);
}

void gradient(Gradient& n) {
  n.dx(0, n.dy() * (by_tanh(n.node()) ? tanh_slope(n.x()) : exact_slope(n.x())));
}

constexpr Op rows[] = {unary({.name = "Gelu",
                              .versions = "20",
                              .types = "T: floats",
                              .attributes = "approximate:string=none",
                              .infer = infer,
                              .fold = fold,
                              .scalar = scalar,
                              .gradient = gradient})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::gelu
