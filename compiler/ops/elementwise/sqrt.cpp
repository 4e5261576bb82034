// Sqrt: square root.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/sqrt.hpp"

namespace onnxc::ops::sqrt {
constexpr Op rows[] = {unary<"sqrt">(
    kFloats, {.name = "Sqrt", .versions = "1 6 13", .attributes = "consumed_inputs:ints@1-5"},
    [](auto x) { return fn::sqrt(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::sqrt
