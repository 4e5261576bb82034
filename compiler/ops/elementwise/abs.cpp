// Abs: |x|.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/abs.hpp"

namespace onnxc::ops::abs {
constexpr Op rows[] = {
    unary<"abs">(kNumeric,
                 {.name = "Abs",
                  .versions = "1 6 13",
                  .attributes = "consumed_inputs:ints@1-5",
                  .gradient = [](Gradient& n) { n.dx(0, n.dy() * apply("Sign", n.x())); }},
                 [](auto x) { return fn::abs(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::abs
