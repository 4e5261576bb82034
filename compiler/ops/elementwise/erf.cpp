// Erf: the error function.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/erf.hpp"

namespace onnxc::ops::erf {
namespace {

void gradient(Gradient& n) {
  const double slope = 2 / std::sqrt(std::acos(-1.0));
  n.dx(0, n.dy() * (slope * apply("Exp", -(n.x() * n.x()))));
}

}  // namespace

constexpr Op rows[] = {unary<"erf">(kNumeric,
                                    {.name = "Erf",
                                     .versions = "9 13",
                                     .inputs = "input:T",
                                     .outputs = "output:T",
                                     .gradient = gradient},
                                    [](auto x) { return fn::erf(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::erf
