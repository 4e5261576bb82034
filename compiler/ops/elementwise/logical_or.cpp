// Or of two booleans.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/logical_or.hpp"

namespace onnxc::ops::logical_or {
constexpr Op rows[] = {compare<"logical_or">(
    kBool, {.name = "Or", .versions = "1 7", .attributes = "axis:int@1-6 broadcast:int=0@1-6"},
    [](auto a, auto b) { return fn::logical_or(a, b); })};
extern const Family family{rows};
}  // namespace onnxc::ops::logical_or
