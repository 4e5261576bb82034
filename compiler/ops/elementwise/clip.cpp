// Clip: min(max(x, min), max).
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/clip.hpp"

namespace onnxc::ops::clip {
namespace {

// The bounds of opsets 1 to 10 stay attributes: they have the type of the input, which is unknown
// yet. The defaults are no bounds in opset 1 and the largest floats in opset 6. With bounds as
// inputs, only the form with both remains a Clip.
void upgrade(Upgrade& u) {
  u.remove("consumed_inputs");
  if (u.version() < 11) {
    using Limits = std::numeric_limits<float>;
    const float bound = u.version() < 6 ? Limits::infinity() : Limits::max();
    if (!u.has_attr("min")) u.set("min", -bound);
    if (!u.has_attr("max")) u.set("max", bound);
    return;
  }
  const bool low = u.has_input(1), high = u.has_input(2);
  auto& inputs = u.mutable_node().inputs;
  if (low && high) return;
  if (low || high) u.set(kFirstWins, std::int64_t{1});
  if (low) {
    inputs.resize(2);
    u.to("Max");
  } else if (high) {
    inputs.erase(1);
    u.to("Min");
  } else {
    inputs.resize(1);
    u.to("Identity");
  }
}

void infer(Infer& n) {
  infer_unary(n);
  for (std::size_t i = 1; i < n.input_count(); ++i)
    n.one_value(i, i == 1 ? "input 1 \"min\"" : "input 2 \"max\"");
}

void fold(Fold& n) {
  const auto clip = [](auto x, auto low, auto high) { return fn::clip(x, low, high); };
  if (n.has_attr("min"))
    fold_elements<1>(n, kFloats, clip, std::array{n.attr_float("min"), n.attr_float("max")});
  else
    fold_elements<3>(n, kNumeric, clip);
}

ScalarFn scalar(const Node& n) {
  return n.find("min") ? scalar_fn<"clip", true, "min", "max">(n) : scalar_fn<"clip">(n);
}

// 1 at a bound. The upper bound wins where it is below the lower one.
void gradient(Gradient& n) {
  const bool fixed_bounds = n.has_attr("min");
  const Term low = fixed_bounds ? n.scalar(n.attr_float("min")) : n.x(1);
  const Term high = fixed_bounds ? n.scalar(n.attr_float("max")) : n.x(2);
  const Term above = n.emit("Max", {n.x(), low}) > high;
  const Term below = n.x() < low;
  n.dx_summed(0, choose(above || below, 0.0, n.dy()));
  if (fixed_bounds) return;
  if (n.wants(1)) n.dx_summed(1, choose(below && !above, n.dy(), 0.0));
  if (n.wants(2)) n.dx_summed(2, choose(above, n.dy(), 0.0));
}

constexpr Op rows[] = {
    elementwise({.name = "Clip",
                 .versions = "1 6 11 12 13",
                 .inputs = "input:T min:T? max:T?",
                 .outputs = "output:T",
                 .types = "T: numeric",
                 .attributes = "min:float@1-10 max:float@1-10 consumed_inputs:ints@1-5",
                 .settings = "min max",
                 .upgrade = upgrade,
                 .infer = infer,
                 .fold = fold,
                 .scalar = scalar,
                 .gradient = gradient})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::clip
