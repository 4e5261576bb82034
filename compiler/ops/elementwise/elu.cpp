// Elu: alpha * (exp(x) - 1) for negative x, else x.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/elu.hpp"

namespace onnxc::ops::elu {
namespace {

// The branch x <= 0 at 0.
void gradient(Gradient& n) {
  const double alpha = n.attr_float("alpha");
  n.dx(0, choose_positive(n.x(), n.dy(), n.dy() * (n.y() + alpha)));
}

}  // namespace

constexpr Op rows[] = {
    unary<"elu", "alpha">(kFloats,
                          {.name = "Elu",
                           .versions = "1 6 22",
                           .attributes = "alpha:float=1 consumed_inputs:ints@1-5",
                           .gradient = gradient},
                          [](auto x, float alpha) { return fn::elu(x, alpha); })};
extern const Family family{rows};
}  // namespace onnxc::ops::elu
