// Sum: the sum of any number of operands.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/sum.hpp"

namespace onnxc::ops::sum {
constexpr Op rows[] = {variadic<"sum">(kFloats,
                                       {.name = "Sum",
                                        .versions = "1 6 8 13",
                                        .outputs = "sum:T",
                                        .attributes = "consumed_inputs:ints@1-5",
                                        .gradient = gradient_is_dy},
                                       [](auto a, auto b) { return fn::sum(a, b); })};
extern const Family family{rows};
}  // namespace onnxc::ops::sum
