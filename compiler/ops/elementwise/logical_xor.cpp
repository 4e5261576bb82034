// Xor of two booleans.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/logical_xor.hpp"

namespace onnxc::ops::logical_xor {
constexpr Op rows[] = {compare<"logical_xor">(
    kBool, {.name = "Xor", .versions = "1 7", .attributes = "axis:int@1-6 broadcast:int=0@1-6"},
    [](auto a, auto b) { return fn::logical_xor(a, b); })};
extern const Family family{rows};
}  // namespace onnxc::ops::logical_xor
