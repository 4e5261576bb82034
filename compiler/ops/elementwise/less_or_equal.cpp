// LessOrEqual: a <= b.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/less_or_equal.hpp"

namespace onnxc::ops::less_or_equal {
constexpr Op rows[] = {
    compare<"less_or_equal">(kNumeric, {.name = "LessOrEqual", .versions = "12 16"},
                             [](auto a, auto b) { return fn::less_or_equal(a, b); })};
extern const Family family{rows};
}  // namespace onnxc::ops::less_or_equal
