// Not of a boolean.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/logical_not.hpp"

namespace onnxc::ops::logical_not {
constexpr Op rows[] = {unary<"logical_not">(kBool, {.name = "Not", .versions = "1"},
                                            [](auto x) { return fn::logical_not(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::logical_not
