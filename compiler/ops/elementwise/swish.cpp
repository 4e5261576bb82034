// Swish: x * sigmoid(alpha * x).
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/swish.hpp"

namespace onnxc::ops::swish {
constexpr Op rows[] = {unary<"swish", "alpha">(
    kFloats, {.name = "Swish", .versions = "24", .attributes = "alpha:float=1"},
    [](auto x, float alpha) { return fn::swish(x, alpha); })};
extern const Family family{rows};
}  // namespace onnxc::ops::swish
