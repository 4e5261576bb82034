// IsNaN: whether x is NaN.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/is_nan.hpp"

namespace onnxc::ops::is_nan {
constexpr Op rows[] = {unary<"is_nan">(join(kFloats, kFloat8),
                                       {.name = "IsNaN",
                                        .versions = "9 13 20",
                                        .inputs = "X:T1",
                                        .outputs = "Y:bool",
                                        .types = "T1: floats float8",
                                        .infer = infer_broadcast_bool,
                                        .scalar = scalar_fn<"is_nan", false>},
                                       [](auto x) { return fn::is_nan(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::is_nan
