// Log: natural logarithm.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/log.hpp"

namespace onnxc::ops::log {
namespace {

void fold(Fold& n) {
  fold_unary_real(n, [](auto x) { return fn::log(x); });
}

ScalarFn scalar(const Node&) { return {.name = "log"}; }

constexpr Op rows[] = {{
    .name = "Log",
    .versions = "1 6 13",
    .inputs = "input:T",
    .outputs = "output:T",
    .types = "T: floats",
    .attributes = "consumed_inputs:ints@1-5",
    .upgrade = upgrade_in_place,
    .infer = infer_unary,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::log
