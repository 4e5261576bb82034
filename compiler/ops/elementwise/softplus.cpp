// Softplus: log(1 + exp(x)).
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/softplus.hpp"

namespace onnxc::ops::softplus {
constexpr Op rows[] = {unary<"softplus">(kFloats, {.name = "Softplus", .versions = "1 22"},
                                         [](auto x) { return fn::softplus(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::softplus
