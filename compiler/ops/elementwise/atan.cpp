// Atan: arc tangent.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/atan.hpp"

namespace onnxc::ops::atan {
constexpr Op rows[] = {
    unary<"atan">(kFloats,
                  {.name = "Atan",
                   .versions = "7 22",
                   .gradient = [](Gradient& n) { n.dx(0, n.dy() / (n.x() * n.x() + 1.0)); }},
                  [](auto x) { return fn::atan(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::atan
