// Tanh: hyperbolic tangent.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/tanh.hpp"

namespace onnxc::ops::tanh {
constexpr Op rows[] = {
    unary<"tanh">(kFloats,
                  {.name = "Tanh",
                   .versions = "1 6 13",
                   .inputs = "input:T",
                   .outputs = "output:T",
                   .attributes = "consumed_inputs:ints@1-5",
                   .gradient = [](Gradient& n) { n.dx(0, n.dy() * (1.0 - n.y() * n.y())); }},
                  [](auto x) { return fn::tanh(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::tanh
