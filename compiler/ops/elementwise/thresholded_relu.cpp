// ThresholdedRelu: x where x > alpha, else 0. The experimental version before opset 10 is the same.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/thresholded_relu.hpp"

namespace onnxc::ops::thresholded_relu {
constexpr Op rows[] = {unary<"thresholded_relu", "alpha">(
    kFloats,
    {.name = "ThresholdedRelu",
     .versions = "1 10 22",
     .attributes = "alpha:float=1",
     .gradient = [](Gradient& n) { n.dx(0, choose(n.x() > n.attr_float("alpha"), n.dy(), 0.0)); }},
    [](auto x, float alpha) { return fn::thresholded_relu(x, alpha); })};
extern const Family family{rows};
}  // namespace onnxc::ops::thresholded_relu
