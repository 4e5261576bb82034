// Neg: -x.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/neg.hpp"

namespace onnxc::ops::neg {
namespace {

void infer(Infer& n) {
  infer_unary(n);
  auto contents = n.extents(0);
  if (!contents) return;
  for (Dim& d : *contents) d = Dim(0) - d;
  n.output_extents(0, std::move(*contents));
}

void fold(Fold& n) {
  fold_unary(n, [](auto x) { return fn::neg(x); });
}

ScalarFn scalar(const Node&) { return {.name = "neg"}; }

constexpr Op rows[] = {{
    .name = "Neg",
    .versions = "1 6 13",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats signed",
    .attributes = "consumed_inputs:ints@1-5",
    .upgrade = upgrade_in_place,
    .infer = infer,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::neg
