// Exp, Log, Sqrt, Pow and Erf.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/exponential.hpp"

namespace onnxc::ops::exponential {
namespace {

void fold_pow(Fold& n) {
  with_number(n.in(0).elem(), [&](auto base) {
    with_number(n.in(1).elem(), [&](auto exponent) {
      fold_mixed<decltype(base), decltype(base), decltype(exponent)>(
          n, [](auto x, auto y) { return fn::pow(x, static_cast<wide_t<decltype(y)>>(y)); });
    });
  });
}

// By the base: 0 where the exponent is 0. By the exponent: 0 where the base is 0, NaN below.
void gradient_of_pow(Gradient& n) {
  const ElemType elem = n.x(0).type().elem;
  const Term exponent = convert(n.x(1), elem);
  if (n.wants(0)) {
    const Term slope = exponent * n.emit("Pow", {n.x(0), exponent - 1.0});
    n.dx_summed(0, n.dy() * choose(exponent == 0.0, 0.0, slope));
  }
  if (!n.wants(1)) return;
  const Term growth = choose(n.x(0) == 0.0, 0.0, n.y() * apply("Log", n.x(0)));
  n.dx_summed(1, convert(n.dy() * growth, n.x(1).type().elem));
}

void gradient_of_erf(Gradient& n) {
  const double slope = 2 / std::sqrt(std::acos(-1.0));
  n.dx(0, n.dy() * (slope * apply("Exp", -(n.x() * n.x()))));
}

constexpr Op rows[] = {
    unary<"exp">(kFloats,
                 {.name = "Exp",
                  .versions = "1 6 13",
                  .inputs = "input:T",
                  .outputs = "output:T",
                  .attributes = "consumed_inputs:ints@1-5",
                  .gradient = [](Gradient& n) { n.dx(0, n.dy() * n.y()); }},
                 [](auto x) { return fn::exp(x); }),
    unary<"log">(kFloats,
                 {.name = "Log",
                  .versions = "1 6 13",
                  .inputs = "input:T",
                  .outputs = "output:T",
                  .attributes = "consumed_inputs:ints@1-5",
                  .gradient = [](Gradient& n) { n.dx(0, n.dy() / n.x()); }},
                 [](auto x) { return fn::log(x); }),
    unary<"sqrt">(kFloats,
                  {.name = "Sqrt",
                   .versions = "1 6 13",
                   .attributes = "consumed_inputs:ints@1-5",
                   .gradient = [](Gradient& n) { n.dx(0, n.dy() * 0.5 / n.y()); }},
                  [](auto x) { return fn::sqrt(x); }),
    binary({.name = "Pow",
            .versions = "1 7 12 13 15",
            .inputs = "X:T Y:T1",
            .outputs = "Z:T",
            .types = "T: floats integers; T1: numeric",
            .attributes = "axis:int@1-6 broadcast:int=0@1-6",
            .fold = fold_pow,
            .scalar = scalar_fn<"pow">,
            .gradient = gradient_of_pow}),
    unary<"erf">(kNumeric,
                 {.name = "Erf",
                  .versions = "9 13",
                  .inputs = "input:T",
                  .outputs = "output:T",
                  .gradient = gradient_of_erf},
                 [](auto x) { return fn::erf(x); })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::exponential
