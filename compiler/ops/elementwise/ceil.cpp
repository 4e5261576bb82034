// Ceil: rounds up.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/ceil.hpp"

namespace onnxc::ops::ceil {
constexpr Op rows[] = {unary<"ceil">(kFloats,
                                     {.name = "Ceil",
                                      .versions = "1 6 13",
                                      .attributes = "consumed_inputs:ints@1-5",
                                      .gradient = gradient_is_zero},
                                     [](auto x) { return fn::ceil(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::ceil
