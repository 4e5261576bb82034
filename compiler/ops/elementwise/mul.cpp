// Mul: a * b; integers wrap.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/mul.hpp"

namespace onnxc::ops::mul {
constexpr Op rows[] = {
    binary<"mul">(kNumeric,
                  {.name = "Mul",
                   .versions = "1 6 7 13 14",
                   .attributes = "axis:int@1-6 broadcast:int=0@1-6 consumed_inputs:ints@1-5",
                   .infer = infer_arithmetic<std::multiplies<>{}>},
                  [](auto a, auto b) { return fn::mul(a, b); })};
extern const Family family{rows};
}  // namespace onnxc::ops::mul
