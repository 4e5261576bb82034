// Cos: cosine.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/cos.hpp"

namespace onnxc::ops::cos {
constexpr Op rows[] = {
    unary<"cos">(kFloats,
                 {.name = "Cos",
                  .versions = "7 22",
                  .gradient = [](Gradient& n) { n.dx(0, -(n.dy() * apply("Sin", n.x()))); }},
                 [](auto x) { return fn::cos(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::cos
