// Acos: arc cosine.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/acos.hpp"

namespace onnxc::ops::acos {
constexpr Op rows[] = {unary<"acos">(
    kFloats,
    {.name = "Acos",
     .versions = "7 22",
     .gradient =
         [](Gradient& n) { n.dx(0, -(n.dy() / apply("Sqrt", (1.0 - n.x()) * (1.0 + n.x())))); }},
    [](auto x) { return fn::acos(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::acos
