// Cosh: hyperbolic cosine.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/cosh.hpp"

namespace onnxc::ops::cosh {
constexpr Op rows[] = {
    unary<"cosh">(kFloats,
                  {.name = "Cosh",
                   .versions = "9 22",
                   .gradient = [](Gradient& n) { n.dx(0, n.dy() * apply("Sinh", n.x())); }},
                  [](auto x) { return fn::cosh(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::cosh
