// HardSwish: x * HardSigmoid(x, 1/6, 1/2).
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/hard_swish.hpp"

namespace onnxc::ops::hard_swish {
namespace {

// By the product rule, with the derivative of HardSigmoid: 0 at -3 and 1 at 3.
void gradient(Gradient& n) {
  const Term slope = choose_positive(3.0 - n.x(), n.x() / 3.0 + 0.5, 1.0);
  n.dx(0, choose_positive(n.x() + 3.0, n.dy() * slope, 0.0));
}

}  // namespace

constexpr Op rows[] = {
    unary<"hard_swish">(kFloats, {.name = "HardSwish", .versions = "14 22", .gradient = gradient},
                        [](auto x) { return fn::hard_swish(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::hard_swish
