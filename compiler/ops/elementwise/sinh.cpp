// Sinh: hyperbolic sine.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/sinh.hpp"

namespace onnxc::ops::sinh {
constexpr Op rows[] = {
    unary<"sinh">(kFloats,
                  {.name = "Sinh",
                   .versions = "9 22",
                   .gradient = [](Gradient& n) { n.dx(0, n.dy() * apply("Cosh", n.x())); }},
                  [](auto x) { return fn::sinh(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::sinh
