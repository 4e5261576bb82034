// Mish: x * tanh(softplus(x)).
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/mish.hpp"

namespace onnxc::ops::mish {
namespace {

void gradient(Gradient& n) {
  const Term t = apply("Tanh", apply("Softplus", n.x()));
  n.dx(0, n.dy() * (t + n.x() * (1.0 - t * t) * apply("Sigmoid", n.x())));
}

}  // namespace

constexpr Op rows[] = {unary<"mish">(kFloats,
                                     {.name = "Mish", .versions = "18 22", .gradient = gradient},
                                     [](auto x) { return fn::mish(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::mish
