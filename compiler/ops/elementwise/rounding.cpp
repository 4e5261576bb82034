// Floor, Ceil and Round, which rounds ties to even.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/rounding.hpp"

namespace onnxc::ops::rounding {
constexpr Op rows[] = {
    unary<"floor">(kFloats,
                   {.name = "Floor",
                    .versions = "1 6 13",
                    .attributes = "consumed_inputs:ints@1-5",
                    .quick = true,
                    .gradient = gradient_is_zero},
                   [](auto x) { return fn::floor(x); }),
    unary<"ceil">(kFloats,
                  {.name = "Ceil",
                   .versions = "1 6 13",
                   .attributes = "consumed_inputs:ints@1-5",
                   .quick = true,
                   .gradient = gradient_is_zero},
                  [](auto x) { return fn::ceil(x); }),
    unary<"round">(
        kFloats,
        {.name = "Round", .versions = "11 22", .quick = true, .gradient = gradient_is_zero},
        [](auto x) { return fn::round(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::rounding
