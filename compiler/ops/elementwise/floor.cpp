// Floor: rounds down.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/floor.hpp"

namespace onnxc::ops::floor {
constexpr Op rows[] = {unary<"floor">(kFloats,
                                      {.name = "Floor",
                                       .versions = "1 6 13",
                                       .attributes = "consumed_inputs:ints@1-5",
                                       .gradient = gradient_is_zero},
                                      [](auto x) { return fn::floor(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::floor
