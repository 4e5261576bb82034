// HardSigmoid: alpha * x + beta, clamped to [0, 1].
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/hard_sigmoid.hpp"

namespace onnxc::ops::hard_sigmoid {
namespace {

// 0 where the line meets a bound.
void gradient(Gradient& n) {
  const double alpha = n.attr_float("alpha");
  n.dx(0, choose(n.y() > 0.0 && n.y() < 1.0, n.dy() * alpha, 0.0));
}

}  // namespace

constexpr Op rows[] = {unary<"hard_sigmoid", "alpha", "beta">(
    kFloats,
    {.name = "HardSigmoid",
     .versions = "1 6 22",
     .attributes = "alpha:float=0.2 beta:float=0.5 consumed_inputs:ints@1-5",
     .gradient = gradient},
    [](auto x, float alpha, float beta) { return fn::hard_sigmoid(x, alpha, beta); })};
extern const Family family{rows};
}  // namespace onnxc::ops::hard_sigmoid
