// Div: quotient; of integers truncated, by zero 0.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/div.hpp"

namespace onnxc::ops::div {
namespace {

// Extents are not negative, so rounding down is truncation when the divisor is a positive number.
bool positive_divisors(Infer& n) {
  const auto b = n.ints(1);
  return b && std::all_of(b->begin(), b->end(), [](std::int64_t v) { return v > 0; });
}

bool not_negative(Infer& n) {
  const auto a = n.extents(0);
  return a && std::all_of(a->begin(), a->end(),
                          [](const Dim& d) { return !d.is_const() || d.value() >= 0; });
}

void infer(Infer& n) {
  infer_broadcast(n);
  warn_zero_divisor(n);
  if (positive_divisors(n) && not_negative(n)) propagate_extents(n, Dim::floor_div);
}

void fold(Fold& n) {
  fold_binary(n, [](auto a, auto b) { return fn::div(a, b); });
}

ScalarFn scalar(const Node&) { return {.name = "div"}; }

constexpr Op rows[] = {{
    .name = "Div",
    .versions = "1 6 7 13 14",
    .inputs = "A:T B:T",
    .outputs = "C:T",
    .types = "T: numeric",
    .attributes = "axis:int@1-6 broadcast:int=0@1-6 consumed_inputs:ints@1-5",
    .upgrade = upgrade_broadcast,
    .infer = infer,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::div
