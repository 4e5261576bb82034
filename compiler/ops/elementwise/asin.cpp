// Asin: arc sine.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/asin.hpp"

namespace onnxc::ops::asin {
constexpr Op rows[] = {unary<"asin">(kFloats, {.name = "Asin", .versions = "7 22"},
                                     [](auto x) { return fn::asin(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::asin
