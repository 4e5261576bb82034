// Min: the smallest operand; NaN if one is NaN.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/min.hpp"

namespace onnxc::ops::min {
constexpr Op rows[] = {variadic<"min">(kNumeric,
                                       {.name = "Min",
                                        .versions = "1 6 8 12 13",
                                        .outputs = "min:T",
                                        .attributes = "consumed_inputs:ints@1-5",
                                        .infer = infer_selection<Dim::min>,
                                        .gradient = gradient_of_selection},
                                       [](auto a, auto b) { return fn::min(a, b); })};
extern const Family family{rows};
}  // namespace onnxc::ops::min
