// Softplus: log(1 + exp(x)).
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/softplus.hpp"

namespace onnxc::ops::softplus {
constexpr Op rows[] = {
    unary<"softplus">(kFloats,
                      {.name = "Softplus",
                       .versions = "1 22",
                       .gradient = [](Gradient& n) { n.dx(0, n.dy() * apply("Sigmoid", n.x())); }},
                      [](auto x) { return fn::softplus(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::softplus
