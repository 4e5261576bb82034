// Sin, Cos, Tan, Asin, Acos and Atan.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/trigonometric.hpp"

namespace onnxc::ops::trigonometric {
constexpr Op rows[] = {
    unary<"sin">(kFloats,
                 {.name = "Sin",
                  .versions = "7 22",
                  .gradient = [](Gradient& n) { n.dx(0, n.dy() * apply("Cos", n.x())); }},
                 [](auto x) { return fn::sin(x); }),
    unary<"cos">(kFloats,
                 {.name = "Cos",
                  .versions = "7 22",
                  .gradient = [](Gradient& n) { n.dx(0, -(n.dy() * apply("Sin", n.x()))); }},
                 [](auto x) { return fn::cos(x); }),
    unary<"tan">(kFloats,
                 {.name = "Tan",
                  .versions = "7 22",
                  .gradient = [](Gradient& n) { n.dx(0, n.dy() * (n.y() * n.y() + 1.0)); }},
                 [](auto x) { return fn::tan(x); }),
    unary<"asin">(
        kFloats,
        {.name = "Asin",
         .versions = "7 22",
         .gradient =
             [](Gradient& n) { n.dx(0, n.dy() / apply("Sqrt", (1.0 - n.x()) * (1.0 + n.x()))); }},
        [](auto x) { return fn::asin(x); }),
    unary<"acos">(kFloats,
                  {.name = "Acos",
                   .versions = "7 22",
                   .gradient =
                       [](Gradient& n) {
                         n.dx(0, -(n.dy() / apply("Sqrt", (1.0 - n.x()) * (1.0 + n.x()))));
                       }},
                  [](auto x) { return fn::acos(x); }),
    unary<"atan">(kFloats,
                  {.name = "Atan",
                   .versions = "7 22",
                   .gradient = [](Gradient& n) { n.dx(0, n.dy() / (n.x() * n.x() + 1.0)); }},
                  [](auto x) { return fn::atan(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::trigonometric
