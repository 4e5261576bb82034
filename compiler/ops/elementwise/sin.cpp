// Sin: sine.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/sin.hpp"

namespace onnxc::ops::sin {
constexpr Op rows[] = {
    unary<"sin">(kFloats,
                 {.name = "Sin",
                  .versions = "7 22",
                  .gradient = [](Gradient& n) { n.dx(0, n.dy() * apply("Cos", n.x())); }},
                 [](auto x) { return fn::sin(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::sin
