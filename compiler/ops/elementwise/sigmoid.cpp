// Sigmoid: 1 / (1 + exp(-x)).
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/sigmoid.hpp"

namespace onnxc::ops::sigmoid {
constexpr Op rows[] = {
    unary<"sigmoid">(kFloats,
                     {.name = "Sigmoid",
                      .versions = "1 6 13",
                      .attributes = "consumed_inputs:ints@1-5",
                      .gradient = [](Gradient& n) { n.dx(0, n.dy() * (n.y() * (1.0 - n.y()))); }},
                     [](auto x) { return fn::sigmoid(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::sigmoid
