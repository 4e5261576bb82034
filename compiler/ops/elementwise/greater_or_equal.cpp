// GreaterOrEqual: a >= b.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/greater_or_equal.hpp"

namespace onnxc::ops::greater_or_equal {
constexpr Op rows[] = {
    compare<"greater_or_equal">(kNumeric, {.name = "GreaterOrEqual", .versions = "12 16"},
                                [](auto a, auto b) { return fn::greater_or_equal(a, b); })};
extern const Family family{rows};
}  // namespace onnxc::ops::greater_or_equal
