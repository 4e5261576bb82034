// Swish: x * sigmoid(alpha * x).
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/swish.hpp"

namespace onnxc::ops::swish {
namespace {

void gradient(Gradient& n) {
  const double alpha = n.attr_float("alpha");
  const Term s = apply("Sigmoid", n.x() * alpha);
  n.dx(0, n.dy() * (s + n.x() * alpha * (s * (1.0 - s))));
}

}  // namespace

constexpr Op rows[] = {unary<"swish", "alpha">(
    kFloats,
    {.name = "Swish", .versions = "24", .attributes = "alpha:float=1", .gradient = gradient},
    [](auto x, float alpha) { return fn::swish(x, alpha); })};
extern const Family family{rows};
}  // namespace onnxc::ops::swish
