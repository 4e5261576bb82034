// Acos: arc cosine.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/acos.hpp"

namespace onnxc::ops::acos {
constexpr Op rows[] = {unary<"acos">(kFloats, {.name = "Acos", .versions = "7 22"},
                                     [](auto x) { return fn::acos(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::acos
