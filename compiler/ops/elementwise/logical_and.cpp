// And of two booleans.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/logical_and.hpp"

namespace onnxc::ops::logical_and {
constexpr Op rows[] = {compare<"logical_and">(
    kBool, {.name = "And", .versions = "1 7", .attributes = "axis:int@1-6 broadcast:int=0@1-6"},
    [](auto a, auto b) { return fn::logical_and(a, b); })};
extern const Family family{rows};
}  // namespace onnxc::ops::logical_and
