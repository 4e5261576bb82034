// Shrink: x - bias above lambd, x + bias below -lambd, else 0.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/shrink.hpp"

namespace onnxc::ops::shrink {
constexpr Op rows[] = {unary<"shrink", "lambd", "bias">(
    kNumeric,
    {.name = "Shrink",
     .versions = "9",
     .inputs = "input:T",
     .outputs = "output:T",
     .attributes = "bias:float=0 lambd:float=0.5"},
    [](auto x, float lambd, float bias) { return fn::shrink(x, lambd, bias); })};
extern const Family family{rows};
}  // namespace onnxc::ops::shrink
