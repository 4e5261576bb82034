// Pow: x to the power of y; the result has the type of x.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/pow.hpp"

namespace onnxc::ops::pow {
namespace {

void fold(Fold& n) {
  with_number(n.in(0).elem(), [&](auto base) {
    with_number(n.in(1).elem(), [&](auto exponent) {
      fold_mixed<decltype(base), decltype(base), decltype(exponent)>(
          n, [](auto x, auto y) { return fn::pow(x, static_cast<wide_t<decltype(y)>>(y)); });
    });
  });
}

// By the base: 0 where the exponent is 0. By the exponent: 0 where the base is 0, NaN below.
void gradient(Gradient& n) {
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

constexpr Op rows[] = {binary({.name = "Pow",
                               .versions = "1 7 12 13 15",
                               .inputs = "X:T Y:T1",
                               .outputs = "Z:T",
                               .types = "T: floats integers; T1: numeric",
                               .attributes = "axis:int@1-6 broadcast:int=0@1-6",
                               .fold = fold,
                               .scalar = scalar_fn<"pow">,
                               .gradient = gradient})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::pow
