// Selu: gamma * Elu(x, alpha).
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/selu.hpp"

namespace onnxc::ops::selu {
namespace {

// Opset 1 has the constants in five digits.
void upgrade(Upgrade& u) {
  u.remove("consumed_inputs");
  if (u.version() >= 6) return;
  if (!u.node().find("alpha")) u.set("alpha", 1.6732f);
  if (!u.node().find("gamma")) u.set("gamma", 1.0507f);
}

// The branch x <= 0 at 0.
void gradient(Gradient& n) {
  const double gamma = n.attr_float("gamma"), alpha = n.attr_float("alpha");
  n.dx(0, choose_positive(n.x(), n.dy() * gamma, n.dy() * (n.y() + gamma * alpha)));
}

constexpr Op rows[] = {unary<"selu", "alpha", "gamma">(
    kFloats,
    {.name = "Selu",
     .versions = "1 6 22",
     .attributes = "alpha:float=1.67326319217681884765625 gamma:float=1.05070102214813232421875 "
                   "consumed_inputs:ints@1-5",
     .upgrade = upgrade,
     .gradient = gradient},
    [](auto x, float alpha, float gamma) { return fn::selu(x, alpha, gamma); })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::selu
