// Softsign: x / (1 + |x|).
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/softsign.hpp"

namespace onnxc::ops::softsign {
constexpr Op rows[] = {unary<"softsign">(kFloats, {.name = "Softsign", .versions = "1 22"},
                                         [](auto x) { return fn::softsign(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::softsign
