// Celu: alpha * (exp(x / alpha) - 1) for negative x, else x.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/celu.hpp"

namespace onnxc::ops::celu {
constexpr Op rows[] = {unary<"celu", "alpha">(
    kFloats, {.name = "Celu", .versions = "12 28", .attributes = "alpha:float=1"},
    [](auto x, float alpha) { return fn::celu(x, alpha); })};
extern const Family family{rows};
}  // namespace onnxc::ops::celu
