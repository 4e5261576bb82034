// Log: natural logarithm.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/log.hpp"

namespace onnxc::ops::log {
constexpr Op rows[] = {unary<"log">(kFloats,
                                    {.name = "Log",
                                     .versions = "1 6 13",
                                     .inputs = "input:T",
                                     .outputs = "output:T",
                                     .attributes = "consumed_inputs:ints@1-5",
                                     .gradient = [](Gradient& n) { n.dx(0, n.dy() / n.x()); }},
                                    [](auto x) { return fn::log(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::log
