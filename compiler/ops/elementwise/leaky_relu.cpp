// LeakyRelu: alpha * x for negative x, else x.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/leaky_relu.hpp"

namespace onnxc::ops::leaky_relu {
namespace {

// alpha at 0.
void gradient(Gradient& n) {
  const double alpha = n.attr_float("alpha");
  n.dx(0, choose_positive(n.x(), n.dy(), n.dy() * alpha));
}

}  // namespace

constexpr Op rows[] = {
    unary<"leaky_relu", "alpha">(kFloats,
                                 {.name = "LeakyRelu",
                                  .versions = "1 6 16",
                                  .attributes = "alpha:float=0.01 consumed_inputs:ints@1-5",
                                  .gradient = gradient},
                                 [](auto x, float alpha) { return fn::leaky_relu(x, alpha); })};
extern const Family family{rows};
}  // namespace onnxc::ops::leaky_relu
