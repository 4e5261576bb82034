// HardSwish: x * HardSigmoid(x, 1/6, 1/2).
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/hard_swish.hpp"

namespace onnxc::ops::hard_swish {
constexpr Op rows[] = {unary<"hard_swish">(kFloats, {.name = "HardSwish", .versions = "14 22"},
                                           [](auto x) { return fn::hard_swish(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::hard_swish
