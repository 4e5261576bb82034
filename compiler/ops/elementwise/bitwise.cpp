// BitwiseAnd, BitwiseOr, BitwiseXor and BitwiseNot of integers.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/bitwise.hpp"

namespace onnxc::ops::bitwise {
constexpr Op rows[] = {
    binary<"bitwise/bitwise_and">(kIntegers, {.name = "BitwiseAnd", .versions = "18"},
                                  [](auto a, auto b) { return fn::bitwise_and(a, b); }),
    binary<"bitwise/bitwise_or">(kIntegers, {.name = "BitwiseOr", .versions = "18"},
                                 [](auto a, auto b) { return fn::bitwise_or(a, b); }),
    binary<"bitwise/bitwise_xor">(kIntegers, {.name = "BitwiseXor", .versions = "18"},
                                  [](auto a, auto b) { return fn::bitwise_xor(a, b); }),
    unary<"bitwise/bitwise_not">(kIntegers, {.name = "BitwiseNot", .versions = "18"},
                                 [](auto x) { return fn::bitwise_not(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::bitwise
