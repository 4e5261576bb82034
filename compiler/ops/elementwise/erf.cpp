// Erf: the error function.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/erf.hpp"

namespace onnxc::ops::erf {
constexpr Op rows[] = {unary<"erf">(
    kNumeric, {.name = "Erf", .versions = "9 13", .inputs = "input:T", .outputs = "output:T"},
    [](auto x) { return fn::erf(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::erf
