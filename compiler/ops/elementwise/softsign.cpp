// Softsign: x / (1 + |x|).
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/softsign.hpp"

namespace onnxc::ops::softsign {
namespace {

void gradient(Gradient& n) {
  const Term below = apply("Abs", n.x()) + 1.0;
  n.dx(0, n.dy() / (below * below));
}

}  // namespace

constexpr Op rows[] = {
    unary<"softsign">(kFloats, {.name = "Softsign", .versions = "1 22", .gradient = gradient},
                      [](auto x) { return fn::softsign(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::softsign
