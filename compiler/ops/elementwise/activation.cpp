// Relu, LeakyRelu, PRelu, ThresholdedRelu, Elu, Celu, Selu, Shrink, Sigmoid, HardSigmoid, Softplus
// and Softsign.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/activation.hpp"

namespace onnxc::ops::activation {
namespace {

// alpha at 0.
void gradient_of_leaky_relu(Gradient& n) {
  const double alpha = n.attr_float("alpha");
  n.dx(0, choose_positive(n.x(), n.dy(), n.dy() * alpha));
}

// Up to opset 6 a vector of slopes applies to axis 1.
void upgrade_prelu(Upgrade& u) {
  u.remove("consumed_inputs");
  if (u.version() >= 7) return;
  Value* moved = u.emit("onnxc::AlignAxis", {u.node().inputs[1], u.node().inputs[0]},
                        {{"axis", std::int64_t{1}}});
  u.set_input(1, moved);
}

void infer_prelu(Infer& n) {
  if (n.has_rank(0) && n.has_rank(1)) {
    n.require(n.rank(1) <= n.rank(0), "input 1 \"slope\"", "has more axes than input 0");
    const Shape out = broadcast(n, n.shape(0), n.shape(1));
    for (std::size_t i = 0; i < out.size(); ++i) n.same(out[i], n.shape(0)[i], "input 1 \"slope\"");
  }
  infer_unary(n);
}

// The slope at 0; its own derivative is 0 there.
void gradient_of_prelu(Gradient& n) {
  n.dx(0, choose_positive(n.x(), n.dy(), n.dy() * n.x(1)));
  if (n.wants(1)) n.dx_summed(1, choose_positive(-n.x(), n.dy() * n.x(), 0.0));
}

// The branch x <= 0 at 0.
void gradient_of_elu(Gradient& n) {
  const double alpha = n.attr_float("alpha");
  n.dx(0, choose_positive(n.x(), n.dy(), n.dy() * (n.y() + alpha)));
}

// The branch x <= 0 at 0: exp(x / alpha).
void gradient_of_celu(Gradient& n) {
  const double alpha = n.attr_float("alpha");
  n.dx(0, choose_positive(n.x(), n.dy(), n.dy() * (n.y() / alpha + 1.0)));
}

// Opset 1 has the constants in five digits.
void upgrade_selu(Upgrade& u) {
  u.remove("consumed_inputs");
  if (u.version() >= 6) return;
  if (!u.node().find("alpha")) u.set("alpha", 1.6732f);
  if (!u.node().find("gamma")) u.set("gamma", 1.0507f);
}

// The branch x <= 0 at 0.
void gradient_of_selu(Gradient& n) {
  const double gamma = n.attr_float("gamma"), alpha = n.attr_float("alpha");
  n.dx(0, choose_positive(n.x(), n.dy() * gamma, n.dy() * (n.y() + gamma * alpha)));
}

void gradient_of_shrink(Gradient& n) {
  n.dx(0, choose(apply("Abs", n.x()) > n.attr_float("lambd"), n.dy(), 0.0));
}

// 0 where the line meets a bound.
void gradient_of_hard_sigmoid(Gradient& n) {
  const double alpha = n.attr_float("alpha");
  n.dx(0, choose(n.y() > 0.0 && n.y() < 1.0, n.dy() * alpha, 0.0));
}

void gradient_of_softsign(Gradient& n) {
  const Term below = apply("Abs", n.x()) + 1.0;
  n.dx(0, n.dy() / (below * below));
}

constexpr Op rows[] = {
    unary<"relu">(kFloatsAndSigned,
                  {.name = "Relu",
                   .versions = "1 6 13 14",
                   .attributes = "consumed_inputs:ints@1-5",
                   .quick = true,
                   .gradient = [](Gradient& n) { n.dx(0, choose_positive(n.y(), n.dy(), 0.0)); }},
                  [](auto x) { return fn::relu(x); }),
    unary<"leaky_relu", "alpha">(kFloats,
                                 {.name = "LeakyRelu",
                                  .versions = "1 6 16",
                                  .attributes = "alpha:float=0.01 consumed_inputs:ints@1-5",
                                  .quick = true,
                                  .gradient = gradient_of_leaky_relu},
                                 [](auto x, float alpha) { return fn::leaky_relu(x, alpha); }),
    binary<"prelu">(kNumeric,
                    {.name = "PRelu",
                     .versions = "1 6 7 9 16",
                     .inputs = "X:T slope:T",
                     .outputs = "Y:T",
                     .attributes = "consumed_inputs:ints@1-5",
                     .upgrade = upgrade_prelu,
                     .infer = infer_prelu,
                     .quick = true,
                     .gradient = gradient_of_prelu},
                    [](auto x, auto slope) { return fn::prelu(x, slope); }),
    unary<"thresholded_relu", "alpha">(
        kFloats,
        {.name = "ThresholdedRelu",
         .versions = "1 10 22",
         .attributes = "alpha:float=1",
         .gradient =
             [](Gradient& n) { n.dx(0, choose(n.x() > n.attr_float("alpha"), n.dy(), 0.0)); }},
        [](auto x, float alpha) { return fn::thresholded_relu(x, alpha); }),
    unary<"elu", "alpha">(kFloats,
                          {.name = "Elu",
                           .versions = "1 6 22",
                           .attributes = "alpha:float=1 consumed_inputs:ints@1-5",
                           .gradient = gradient_of_elu},
                          [](auto x, float alpha) { return fn::elu(x, alpha); }),
    unary<"celu", "alpha">(kFloats,
                           {.name = "Celu",
                            .versions = "12 28",
                            .attributes = "alpha:float=1",
                            .gradient = gradient_of_celu},
                           [](auto x, float alpha) { return fn::celu(x, alpha); }),
    unary<"selu", "alpha", "gamma">(
        kFloats,
        {.name = "Selu",
         .versions = "1 6 22",
         .attributes =
             "alpha:float=1.67326319217681884765625 gamma:float=1.05070102214813232421875 "
             "consumed_inputs:ints@1-5",
         .upgrade = upgrade_selu,
         .gradient = gradient_of_selu},
        [](auto x, float alpha, float gamma) { return fn::selu(x, alpha, gamma); }),
    unary<"shrink", "lambd", "bias">(
        kNumeric,
        {.name = "Shrink",
         .versions = "9",
         .inputs = "input:T",
         .outputs = "output:T",
         .attributes = "bias:float=0 lambd:float=0.5",
         .gradient = gradient_of_shrink},
        [](auto x, float lambd, float bias) { return fn::shrink(x, lambd, bias); }),
    unary<"sigmoid">(kFloats,
                     {.name = "Sigmoid",
                      .versions = "1 6 13",
                      .attributes = "consumed_inputs:ints@1-5",
                      .gradient = [](Gradient& n) { n.dx(0, n.dy() * (n.y() * (1.0 - n.y()))); }},
                     [](auto x) { return fn::sigmoid(x); }),
    unary<"hard_sigmoid", "alpha", "beta">(
        kFloats,
        {.name = "HardSigmoid",
         .versions = "1 6 22",
         .attributes = "alpha:float=0.2 beta:float=0.5 consumed_inputs:ints@1-5",
         .gradient = gradient_of_hard_sigmoid},
        [](auto x, float alpha, float beta) { return fn::hard_sigmoid(x, alpha, beta); }),
    unary<"softplus">(kFloats,
                      {.name = "Softplus",
                       .versions = "1 22",
                       .gradient = [](Gradient& n) { n.dx(0, n.dy() * apply("Sigmoid", n.x())); }},
                      [](auto x) { return fn::softplus(x); }),
    unary<"softsign">(kFloats,
                      {.name = "Softsign", .versions = "1 22", .gradient = gradient_of_softsign},
                      [](auto x) { return fn::softsign(x); })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::activation
