// Celu: alpha * (exp(x / alpha) - 1) for negative x, else x.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/celu.hpp"

namespace onnxc::ops::celu {
namespace {

// The branch x <= 0 at 0: exp(x / alpha).
void gradient(Gradient& n) {
  const double alpha = n.attr_float("alpha");
  n.dx(0, choose_positive(n.x(), n.dy(), n.dy() * (n.y() / alpha + 1.0)));
}

}  // namespace

constexpr Op rows[] = {unary<"celu", "alpha">(
    kFloats,
    {.name = "Celu", .versions = "12 28", .attributes = "alpha:float=1", .gradient = gradient},
    [](auto x, float alpha) { return fn::celu(x, alpha); })};
extern const Family family{rows};
}  // namespace onnxc::ops::celu
