// Reciprocal: 1 / x.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/reciprocal.hpp"

namespace onnxc::ops::reciprocal {
constexpr Op rows[] = {
    unary<"reciprocal">(kFloats,
                        {.name = "Reciprocal",
                         .versions = "1 6 13",
                         .attributes = "consumed_inputs:ints@1-5",
                         .gradient = [](Gradient& n) { n.dx(0, -(n.dy() * (n.y() * n.y()))); }},
                        [](auto x) { return fn::reciprocal(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::reciprocal
