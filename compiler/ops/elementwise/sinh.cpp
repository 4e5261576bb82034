// Sinh: hyperbolic sine.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/sinh.hpp"

namespace onnxc::ops::sinh {
constexpr Op rows[] = {unary<"sinh">(kFloats, {.name = "Sinh", .versions = "9 22"},
                                     [](auto x) { return fn::sinh(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::sinh
