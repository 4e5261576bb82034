// Sqrt: square root.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/sqrt.hpp"

namespace onnxc::ops::sqrt {
constexpr Op rows[] = {
    unary<"sqrt">(kFloats,
                  {.name = "Sqrt",
                   .versions = "1 6 13",
                   .attributes = "consumed_inputs:ints@1-5",
                   .gradient = [](Gradient& n) { n.dx(0, n.dy() * 0.5 / n.y()); }},
                  [](auto x) { return fn::sqrt(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::sqrt
