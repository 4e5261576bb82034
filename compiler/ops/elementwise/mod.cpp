// Mod: remainder with the sign of the divisor, or with fmod that of the dividend.
#include "compiler/ops/elementwise/elementwise.hpp"

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
    fold_binary(n, [](auto a, auto b) { return fn::fmod(a, b); });
  else
    fold_binary(n, [](auto a, auto b) { return fn::mod(a, b); });
}

ScalarFn scalar(const Node& n) {
  return {
      .name = by_fmod(n) ? "fmod" : "mod", .literals = {}, .vectorises = false, .header = "mod"};
}

constexpr Op rows[] = {{
    .name = "Mod",
    .versions = "10 13",
    .inputs = "A:T B:T",
    .outputs = "C:T",
    .types = "T: numeric",
    .attributes = "fmod:int=0",
    .infer = infer,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::mod
