// Greater: a > b.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/greater.hpp"

namespace onnxc::ops::greater {
constexpr Op rows[] = {compare<"greater">(
    kNumeric,
    {.name = "Greater", .versions = "1 7 9 13", .attributes = "axis:int@1-6 broadcast:int=0@1-6"},
    [](auto a, auto b) { return fn::greater(a, b); })};
extern const Family family{rows};
}  // namespace onnxc::ops::greater
