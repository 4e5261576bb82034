// Atanh: inverse hyperbolic tangent.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/atanh.hpp"

namespace onnxc::ops::atanh {
constexpr Op rows[] = {unary<"atanh">(kFloats, {.name = "Atanh", .versions = "9 22"},
                                      [](auto x) { return fn::atanh(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::atanh
