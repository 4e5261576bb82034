// Div: a / b. Integers truncate; division by 0 gives 0.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/div.hpp"

namespace onnxc::ops::div {
namespace {

// Extents are never negative, so floor is truncation when the divisor is positive.
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

void gradient(Gradient& n) {
  const Term scaled = n.dy() / n.x(1);
  n.dx_summed(0, scaled);
  if (n.wants(1)) n.dx_summed(1, -(scaled * n.y()));
}

constexpr Op rows[] = {
    binary<"div">(kNumeric,
                  {.name = "Div",
                   .versions = "1 6 7 13 14",
                   .attributes = "axis:int@1-6 broadcast:int=0@1-6 consumed_inputs:ints@1-5",
                   .infer = infer,
                   .gradient = gradient},
                  [](auto a, auto b) { return fn::div(a, b); })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::div
