// Swish, SwiGLU, HardSwish, Mish and Gelu: x times a gate. com.microsoft Gelu, FastGelu, BiasGelu,
// QuickGelu and BiasSplitGelu: Gelu and Swish of x plus a bias.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/gated_activation.hpp"

namespace onnxc::ops::gated_activation {
namespace {

void gradient_of_swish(Gradient& n) {
  const double alpha = n.attr_float("alpha");
  const Term s = apply("Sigmoid", n.x() * alpha);
  n.dx(0, n.dy() * (s + n.x() * alpha * (s * (1.0 - s))));
}

void infer_swi_glu(Infer& n) {
  if (n.has_rank(0) && n.has_rank(1)) {
    n.require(n.rank(0) == n.rank(1), "input 1 \"B\"", "has rank {}, the gate {}", n.rank(1),
              n.rank(0));
    for (std::size_t i = 0; i < n.rank(0); ++i) {
      const Dim &a = n.shape(0)[i], &b = n.shape(1)[i];
      n.require(!a.is_const() || !b.is_const() || a == b, "input 1 \"B\"",
                "has the shape {}, the gate {}", to_string(n.shape(1)), to_string(n.shape(0)));
      n.same(a, b, "input 1 \"B\"");
    }
  }
  infer_like_first(n);
}

void gradient_of_swi_glu(Gradient& n) {
  const double alpha = n.attr_float("alpha");
  const Term s = apply("Sigmoid", n.x(0) * alpha);
  if (n.wants(0)) n.dx(0, n.dy() * n.x(1) * (s + n.x(0) * alpha * (s * (1.0 - s))));
  if (n.wants(1)) n.dx(1, n.dy() * (n.x(0) * s));
}

// By the product rule, with the derivative of HardSigmoid: 0 at -3 and 1 at 3.
void gradient_of_hard_swish(Gradient& n) {
  const Term slope = choose_positive(3.0 - n.x(), n.x() / 3.0 + 0.5, 1.0);
  n.dx(0, choose_positive(n.x() + 3.0, n.dy() * slope, 0.0));
}

void gradient_of_mish(Gradient& n) {
  const Term t = apply("Tanh", apply("Softplus", n.x()));
  n.dx(0, n.dy() * (t + n.x() * (1.0 - t * t) * apply("Sigmoid", n.x())));
}

bool by_tanh(const Node& n) { return NodeView(n).attr_string("approximate") == "tanh"; }

void infer_gelu(Infer& n) {
  const std::string& how = n.attr_string("approximate");
  n.require(how == "none" || how == "tanh", "attribute \"approximate\"",
            "{} is neither none nor tanh", quoted(how));
  infer_unary(n);
}

void fold_gelu(Fold& n) {
  if (by_tanh(n.node()))
    fold_elements<1>(n, kFloats, [](auto x) { return fn::gelu_tanh(x); });
  else
    fold_elements<1>(n, kFloats, [](auto x) { return fn::gelu(x); });
}

ScalarFn scalar_gelu(const Node& n) {
  return by_tanh(n) ? scalar_fn<"gelu_tanh">(n) : scalar_fn<"gelu">(n);
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

void gradient_of_gelu(Gradient& n) {
  n.dx(0, n.dy() * (by_tanh(n.node()) ? tanh_slope(n.x()) : exact_slope(n.x())));
}

void add_bias(Upgrade& n) {
  if (!n.has_input(1)) return;
  const std::vector<Value*> inputs = n.node().inputs;
  n.mutable_node().inputs = {n.emit("Add", {inputs[0], inputs[1]})};
}

void upgrade_exact(Upgrade& n) {
  add_bias(n);
  n.to("Gelu");
}

void upgrade_fast(Upgrade& n) {
  add_bias(n);
  n.mutable_node().inputs.resize(1);
  n.set("approximate", std::string("tanh"));
  n.to("Gelu");
}

void upgrade_quick(Upgrade& n) {
  n.set("alpha", n.attr_float("alpha"));
  n.to("Swish");
}

// The left half of the last axis times the Gelu of the right half.
void upgrade_split(Upgrade& n) {
  const std::vector<Value*> inputs = n.node().inputs;
  Value* sum = n.emit("Add", {inputs[0], inputs[1]});
  const std::vector<Value*> halves =
      n.emit_all("Split", {sum}, 2, {{"axis", std::int64_t{-1}}});  // equal parts
  Value* gate = n.emit("Gelu", {halves[1]});
  n.mutable_node().inputs = {halves[0], gate};
  n.to("Mul");
}

constexpr Op rows[] = {
    unary<"swish", "alpha">(kFloats,
                            {.name = "Swish",
                             .versions = "24",
                             .attributes = "alpha:float=1",
                             .gradient = gradient_of_swish},
                            [](auto x, float alpha) { return fn::swish(x, alpha); }),
    binary({.name = "SwiGLU",
            .versions = "28",
            .outputs = "Y:T",
            .types = "T: floats",
            .attributes = "alpha:float=1",
            .infer = infer_swi_glu,
            .scalar = scalar_fn<"swi_glu", true, "alpha">,
            .gradient = gradient_of_swi_glu}),
    unary<"hard_swish">(
        kFloats, {.name = "HardSwish", .versions = "14 22", .gradient = gradient_of_hard_swish},
        [](auto x) { return fn::hard_swish(x); }),
    unary<"mish">(kFloats, {.name = "Mish", .versions = "18 22", .gradient = gradient_of_mish},
                  [](auto x) { return fn::mish(x); }),
    unary({.name = "Gelu",
           .versions = "20",
           .types = "T: floats",
           .attributes = "approximate:string=none",
           .infer = infer_gelu,
           .fold = fold_gelu,
           .scalar = scalar_gelu,
           .gradient = gradient_of_gelu}),
    contrib({.name = "Gelu",
             .inputs = "X:T",
             .outputs = "Y:T",
             .types = "T: floats",
             .upgrade = upgrade_exact}),
    contrib({.name = "FastGelu",
             .inputs = "X:T bias:T?",
             .outputs = "Y:T",
             .types = "T: floats",
             .upgrade = upgrade_fast}),
    contrib({.name = "BiasGelu",
             .inputs = "A:T B:T",
             .outputs = "C:T",
             .types = "T: floats",
             .upgrade = upgrade_exact}),
    contrib({.name = "QuickGelu",
             .inputs = "X:T",
             .outputs = "Y:T",
             .types = "T: floats",
             .attributes = "alpha:float=1.702",
             .upgrade = upgrade_quick}),
    contrib({.name = "BiasSplitGelu",
             .inputs = "X:T bias:T",
             .outputs = "Y:T",
             .types = "T: floats",
             .upgrade = upgrade_split})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::gated_activation
