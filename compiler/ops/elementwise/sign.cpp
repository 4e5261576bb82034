// Sign: -1, 0 or 1 by the sign of x.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/sign.hpp"

namespace onnxc::ops::sign {
constexpr Op rows[] = {unary<"sign">(kNumeric,
                                     {.name = "Sign",
                                      .versions = "9 13",
                                      .inputs = "input:T",
                                      .outputs = "output:T",
                                      .gradient = gradient_is_zero},
                                     [](auto x) { return fn::sign(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::sign
