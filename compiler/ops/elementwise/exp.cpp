// Exp: e to the power of x.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/exp.hpp"

namespace onnxc::ops::exp {
constexpr Op rows[] = {unary<"exp">(kFloats,
                                    {.name = "Exp",
                                     .versions = "1 6 13",
                                     .inputs = "input:T",
                                     .outputs = "output:T",
                                     .attributes = "consumed_inputs:ints@1-5",
                                     .gradient = [](Gradient& n) { n.dx(0, n.dy() * n.y()); }},
                                    [](auto x) { return fn::exp(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::exp
