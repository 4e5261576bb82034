// Flatten: reshapes to two axes, split before `axis`.
#include "compiler/ops/axes.hpp"
#include "compiler/ops/fold.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::flatten {
namespace {

void upgrade(Upgrade& u) {
  constexpr int kNegative = 11;  // since_version with axes that count from the end
  u.require(u.version() >= kNegative || u.attr_int("axis") >= 0, "attribute \"axis\"",
            "{} counts from the end, which needs Flatten-{}", u.attr_int("axis"), kNegative);
}

void infer(Infer& n) {
  if (!n.has_rank(0)) return n.output(0, n.elem(0), Shape{n.unknown_extent(), n.unknown_extent()});
  const auto rank = static_cast<std::int64_t>(n.rank(0));
  std::int64_t axis = n.attr_int("axis");
  n.require(axis >= -rank && axis <= rank, "attribute \"axis\"", "{} is outside [-{}, {}]", axis,
            rank, rank);
  if (axis < 0) axis += rank;
  const auto cut = static_cast<std::size_t>(axis);
  n.output(0, n.elem(0), Shape{product(n.shape(0), 0, cut), product(n.shape(0), cut, n.rank(0))});
}

void fold(Fold& n) { n.out(0, n.in(0).reshaped(n.out_dims(0))); }

void lower(Lower& n) { n.alias(0, 0); }

constexpr Op rows[] = {{
    .name = "Flatten",
    .versions = "1 9 11 13 21 23 24 25",
    .inputs = "input:T",
    .outputs = "output:T",
    .types = "T: all",
    .attributes = "axis:int=1",
    .upgrade = upgrade,
    .infer = infer,
    .axes = axes_regrouped,
    .fold = fold,
    .lower = lower,
    .moves_elements = always,
    .gradient = gradient_of_reshape,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::flatten
