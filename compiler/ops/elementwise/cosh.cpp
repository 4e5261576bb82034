// Cosh: hyperbolic cosine.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/cosh.hpp"

namespace onnxc::ops::cosh {
constexpr Op rows[] = {unary<"cosh">(kFloats, {.name = "Cosh", .versions = "9 22"},
                                     [](auto x) { return fn::cosh(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::cosh
