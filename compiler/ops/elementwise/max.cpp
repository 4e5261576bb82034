// Max: the largest operand; NaN if one is NaN.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/max.hpp"

namespace onnxc::ops::max {
constexpr Op rows[] = {variadic<"max">(kNumeric,
                                       {.name = "Max",
                                        .versions = "1 6 8 12 13",
                                        .outputs = "max:T",
                                        .attributes = "consumed_inputs:ints@1-5",
                                        .infer = infer_selection<Dim::max>,
                                        .gradient = gradient_of_selection},
                                       [](auto a, auto b) { return fn::max(a, b); })};
extern const Family family{rows};
}  // namespace onnxc::ops::max
