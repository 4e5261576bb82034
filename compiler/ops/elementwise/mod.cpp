// Mod: remainder with the sign of the divisor; with fmod = 1, of the dividend.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/mod.hpp"

namespace onnxc::ops::mod {
namespace {

bool by_fmod(const Node& n) { return NodeView(n).attr_int("fmod") != 0; }

void infer(Infer& n) {
  n.require(by_fmod(n.node()) || !is_float(n.elem(0)), "attribute \"fmod\"",
            "must be 1 for floating-point operands");
  infer_broadcast(n);
  warn_zero_divisor(n);
}

void fold(Fold& n) {
  if (by_fmod(n.node()))
    fold_elements<2>(n, kNumeric, [](auto a, auto b) { return fn::fmod(a, b); });
  else
    fold_elements<2>(n, kNumeric, [](auto a, auto b) { return fn::mod(a, b); });
}

ScalarFn scalar(const Node& n) {
  return by_fmod(n) ? scalar_fn<"mod/fmod", false>(n) : scalar_fn<"mod", false>(n);
}

// a - b trunc(a / b).
void gradient(Gradient& n) {
  n.dx_summed(0, n.dy());
  if (!n.wants(1)) return;
  const Term ratio = n.x(0) / n.x(1);
  const Term whole = apply("Sign", ratio) * apply("Floor", apply("Abs", ratio));
  n.dx_summed(1, -(n.dy() * whole));
}

constexpr Op rows[] = {binary({.name = "Mod",
                               .versions = "10 13",
                               .types = "T: numeric",
                               .attributes = "fmod:int=0",
                               .infer = infer,
                               .fold = fold,
                               .scalar = scalar,
                               .gradient = gradient})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::mod
