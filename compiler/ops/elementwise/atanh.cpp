// Atanh: inverse hyperbolic tangent.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/atanh.hpp"

namespace onnxc::ops::atanh {
constexpr Op rows[] = {unary<"atanh">(
    kFloats,
    {.name = "Atanh",
     .versions = "9 22",
     .gradient = [](Gradient& n) { n.dx(0, n.dy() / ((1.0 - n.x()) * (1.0 + n.x()))); }},
    [](auto x) { return fn::atanh(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::atanh
