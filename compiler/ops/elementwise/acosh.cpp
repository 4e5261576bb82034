// Acosh: inverse hyperbolic cosine.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/acosh.hpp"

namespace onnxc::ops::acosh {
constexpr Op rows[] = {unary<"acosh">(kFloats, {.name = "Acosh", .versions = "9 22"},
                                      [](auto x) { return fn::acosh(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::acosh
