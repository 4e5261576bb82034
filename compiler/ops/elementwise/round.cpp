// Round: to the nearest integer, ties to even.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/round.hpp"

namespace onnxc::ops::round {
constexpr Op rows[] = {
    unary<"round">(kFloats, {.name = "Round", .versions = "11 22", .gradient = gradient_is_zero},
                   [](auto x) { return fn::round(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::round
