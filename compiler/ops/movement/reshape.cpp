// Reshape: the same elements with another shape.
#include <algorithm>

#include "compiler/ops/axes.hpp"
#include "compiler/ops/fold.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/upgrade.hpp"
#include "templates/movement/movement_calls.hpp"

namespace onnxc::ops::reshape {
namespace {

void upgrade(Upgrade& u) {
  u.remove("consumed_inputs");
  u.attribute_to_input("shape", 1);
}

constexpr const char* kShape = "input 1 \"shape\"";

// The dimension that -1 stands for. Equal factors cancel first, which needs no polynomial division.
Dim remainder(const NodeView& n, Shape from, const Shape& given) {
  Dim known = 1;
  for (const Dim& d : given) {
    const auto same = std::find(from.begin(), from.end(), d);
    if (same != from.end() && !d.is(0))
      from.erase(same);
    else
      known = known * d;
  }
  const Dim all = product(from);
  n.require(!known.is(0), kShape, "-1 beside an extent of 0 has no value");
  const Dim left = Dim::floor_div(all, known);
  n.require(!all.is_const() || !known.is_const() || left * known == all, kShape,
            "{} elements do not divide by {}", all.to_string(), known.to_string());
  n.same(left * known, all, kShape);
  return left;
}

Shape target(const Infer& n, const std::vector<Dim>& wanted) {
  const Shape& from = n.shape(0);
  const bool zero_copies = n.attr_int("allowzero") == 0;
  Shape out, given;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Dim d = wanted[i];
    if (d.is(-1)) {
      n.require(!open, kShape, "more than one -1");
      open = i;
      out.push_back(d);
      continue;
    }
    n.at_least(d, 0, kShape);
    if (d.is(0) && zero_copies) {
      n.require(i < from.size(), kShape, "0 at axis {} of an input of rank {}", i, from.size());
      d = from[i];
    }
    given.push_back(d);
    out.push_back(d);
  }
  if (open) out[*open] = remainder(n, from, given);
  const Dim before = product(from), after = product(out);
  n.require(!before.is_const() || !after.is_const() || before == after, kShape,
            "{} has {} elements, the input {}", to_string(out), after.to_string(),
            before.to_string());
  if (!open) n.same(before, after, kShape);
  return out;
}

// The output shape if some entries of `shape` are known only at run time; those can be -1, too.
Shape partly_known(Infer& n, const std::vector<std::optional<Dim>>& wanted) {
  const Shape& from = n.shape(0);
  const bool zero_copies = n.attr_int("allowzero") == 0;
  Shape out;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool copied = wanted[i] && wanted[i]->is(0) && zero_copies;
    n.require(!copied || i < from.size(), kShape, "0 at axis {} of an input of rank {}", i,
              from.size());
    const bool stated = wanted[i] && wanted[i]->is_const() && !wanted[i]->is(-1);
    out.push_back(copied ? from[i] : stated ? *wanted[i] : n.unknown_extent());
    if (stated) n.at_least(out.back(), 0, kShape);
  }
  return out;
}

void infer(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  if (n.has_rank(1)) n.require(n.rank(1) == 1, kShape, "has rank {}, not 1", n.rank(1));
  const auto wanted = n.extents(1);
  if (wanted && n.has_rank(0)) {
    n.output(0, n.elem(0), target(n, *wanted));
    if (const auto& e = n.input_value(0).extent; e && wanted->size() <= 1) n.output_extents(0, *e);
  } else if (const auto some = n.some_extents(1); some && n.has_rank(0)) {
    n.output(0, n.elem(0), partly_known(n, *some));
  } else if (n.has_rank(1) && n.shape(1)[0].is_const() && n.shape(1)[0].value() <= 64) {
    Shape unknown;
    std::optional<Dim> most;
    if (n.shape(1)[0].is(1) && n.has_rank(0)) most = product(n.shape(0));
    for (std::int64_t i = 0; i < n.shape(1)[0].value(); ++i)
      unknown.push_back(n.unknown_extent(most));
    n.output(0, n.elem(0), unknown);
  }
}

void fold(Fold& n) { n.out(0, n.in(0).reshaped(n.out_dims(0))); }

void lower(Lower& n) {
  const Shape &x = n.shape(0), &y = n.out_shape(0);
  if (!n.extents(1))
    n.call("reshape_extents", ReshapeExtentsShape<Dim>{rank_of(x), x, product(n.shape(1)),
                                                       rank_of(y), n.attr_int("allowzero") == 0})
        .in(1)
        .extents(y);
  n.alias(0, 0);
}

void axes(Axes& n) {
  axes_regrouped(n);
  n.adapt = [](Axes::Part& p) {
    p.set_ints(1, p.extents_for_reshape());
    p.node.attributes.erase("allowzero");  // 0 copies
  };
}

constexpr Op rows[] = {{
    .name = "Reshape",
    .versions = "1 5 13 14 19 21 23 24 25",
    .inputs = "data:T shape:int64",
    .outputs = "reshaped:T",
    .types = "T: all",
    .attributes = "allowzero:int=0@14- shape:ints@1-4 consumed_inputs:ints@1-4",
    .upgrade = upgrade,
    .infer = infer,
    .axes = axes,
    .fold = fold,
    .lower = lower,
    .moves_elements = always,
    .gradient = gradient_of_reshape,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reshape
