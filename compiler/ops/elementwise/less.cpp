// Less: a < b.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/less.hpp"

namespace onnxc::ops::less {
constexpr Op rows[] = {compare<"less">(
    kNumeric,
    {.name = "Less", .versions = "1 7 9 13", .attributes = "axis:int@1-6 broadcast:int=0@1-6"},
    [](auto a, auto b) { return fn::less(a, b); })};
extern const Family family{rows};
}  // namespace onnxc::ops::less
