// Mish: x * tanh(softplus(x)).
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/mish.hpp"

namespace onnxc::ops::mish {
constexpr Op rows[] = {unary<"mish">(kFloats, {.name = "Mish", .versions = "18 22"},
                                     [](auto x) { return fn::mish(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::mish
