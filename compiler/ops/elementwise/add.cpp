// Add: a + b; integers wrap.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/add.hpp"

namespace onnxc::ops::add {
constexpr Op rows[] = {
    binary<"add">(kNumeric,
                  {.name = "Add",
                   .versions = "1 6 7 13 14",
                   .attributes = "axis:int@1-6 broadcast:int=0@1-6 consumed_inputs:ints@1-5",
                   .infer = infer_arithmetic<std::plus<>{}>,
                   .gradient = gradient_is_dy},
                  [](auto a, auto b) { return fn::add(a, b); })};
extern const Family family{rows};
}  // namespace onnxc::ops::add
