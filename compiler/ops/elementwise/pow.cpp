// Pow: x to the power of y, in the type of x.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/pow.hpp"

namespace onnxc::ops::pow {
namespace {

void fold(Fold& n) {
  with_number(n.in(0).elem(), [&](auto base) {
    with_number(n.in(1).elem(), [&](auto exponent) {
      fold_map<decltype(base), decltype(base), decltype(exponent)>(
          n, [](auto x, auto y) { return fn::pow(x, y); });
    });
  });
}

ScalarFn scalar(const Node&) { return {.name = "pow"}; }

constexpr Op rows[] = {{
    .name = "Pow",
    .versions = "1 7 12 13 15",
    .inputs = "X:T Y:T1",
    .outputs = "Z:T",
    .types = "T: floats integers; T1: numeric",
    .attributes = "axis:int@1-6 broadcast:int=0@1-6",
    .upgrade = upgrade_broadcast,
    .infer = infer_broadcast,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::pow
