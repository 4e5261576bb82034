// IsNaN: whether an element is NaN.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/is_nan.hpp"

namespace onnxc::ops::is_nan {
namespace {

void fold(Fold& n) {
  with_any(n.in(0).elem(), [&](auto tag) {
    fold_map<bool, decltype(tag)>(n, [](auto x) { return fn::is_nan(x); });
  });
}

ScalarFn scalar(const Node&) { return {.name = "is_nan", .literals = {}, .vectorises = false}; }

constexpr Op rows[] = {{
    .name = "IsNaN",
    .versions = "9 13 20",
    .inputs = "X:T1",
    .outputs = "Y:bool",
    .types = "T1: floats float8",
    .infer = infer_broadcast_bool,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::is_nan
