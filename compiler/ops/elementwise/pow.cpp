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

constexpr Op rows[] = {binary({.name = "Pow",
                               .versions = "1 7 12 13 15",
                               .inputs = "X:T Y:T1",
                               .outputs = "Z:T",
                               .types = "T: floats integers; T1: numeric",
                               .attributes = "axis:int@1-6 broadcast:int=0@1-6",
                               .fold = fold,
                               .scalar = scalar_fn<"pow">})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::pow
