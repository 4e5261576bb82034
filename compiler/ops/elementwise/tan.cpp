// Tan: tangent.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/tan.hpp"

namespace onnxc::ops::tan {
constexpr Op rows[] = {
    unary<"tan">(kFloats,
                 {.name = "Tan",
                  .versions = "7 22",
                  .gradient = [](Gradient& n) { n.dx(0, n.dy() * (n.y() * n.y() + 1.0)); }},
                 [](auto x) { return fn::tan(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::tan
