// Asinh: inverse hyperbolic sine.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/asinh.hpp"

namespace onnxc::ops::asinh {
constexpr Op rows[] = {unary<"asinh">(
    kFloats,
    {.name = "Asinh",
     .versions = "9 22",
     .gradient = [](Gradient& n) { n.dx(0, n.dy() / apply("Sqrt", n.x() * n.x() + 1.0)); }},
    [](auto x) { return fn::asinh(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::asinh
