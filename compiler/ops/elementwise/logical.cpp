// And, Or, Xor and Not of booleans.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/logical.hpp"

namespace onnxc::ops::logical {
constexpr Op rows[] = {
    compare<"logical_and">(
        kBool, {.name = "And", .versions = "1 7", .attributes = "axis:int@1-6 broadcast:int=0@1-6"},
        [](auto a, auto b) { return fn::logical_and(a, b); }),
    compare<"logical_or">(
        kBool, {.name = "Or", .versions = "1 7", .attributes = "axis:int@1-6 broadcast:int=0@1-6"},
        [](auto a, auto b) { return fn::logical_or(a, b); }),
    compare<"logical_xor">(
        kBool, {.name = "Xor", .versions = "1 7", .attributes = "axis:int@1-6 broadcast:int=0@1-6"},
        [](auto a, auto b) { return fn::logical_xor(a, b); }),
    unary<"logical_not">(kBool, {.name = "Not", .versions = "1"},
                         [](auto x) { return fn::logical_not(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::logical
