// Asin: arc sine.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/asin.hpp"

namespace onnxc::ops::asin {
constexpr Op rows[] = {unary<"asin">(
    kFloats,
    {.name = "Asin",
     .versions = "7 22",
     .gradient =
         [](Gradient& n) { n.dx(0, n.dy() / apply("Sqrt", (1.0 - n.x()) * (1.0 + n.x()))); }},
    [](auto x) { return fn::asin(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::asin
