// Acosh: inverse hyperbolic cosine.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/acosh.hpp"

namespace onnxc::ops::acosh {
constexpr Op rows[] = {unary<"acosh">(
    kFloats,
    {.name = "Acosh",
     .versions = "9 22",
     .gradient =
         [](Gradient& n) { n.dx(0, n.dy() / apply("Sqrt", (n.x() - 1.0) * (n.x() + 1.0))); }},
    [](auto x) { return fn::acosh(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::acosh
