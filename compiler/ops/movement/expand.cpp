// Expand: broadcasts to a shape, in both directions.
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/region.hpp"

namespace onnxc::ops::expand {
namespace {

constexpr const char* kShape = "input 1 \"shape\"";

// The output shape if some entries of `shape` are known only at run time.
Shape partly_known(Infer& n, const std::vector<std::optional<Dim>>& wanted) {
  const Shape& from = n.shape(0);
  for (const std::optional<Dim>& d : wanted)
    if (d) n.at_least(*d, 0, kShape);
  Shape out(std::max(wanted.size(), from.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool outside = i + from.size() < out.size();
    const Dim have = outside ? Dim(1) : from[i + from.size() - out.size()];
    const bool kept = i + wanted.size() < out.size();
    const std::optional<Dim> want =
        kept ? std::optional<Dim>(1) : wanted[i + wanted.size() - out.size()];
    // An input extent other than 1 is the result's, whatever `shape` holds.
    const bool given = have.is_const() && !have.is(1);
    out[i] = want ? n.broadcast(have, *want, kShape) : given ? have : n.unknown_extent();
  }
  return out;
}

void infer(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  const auto wanted = n.extents(1);
  if (n.has_rank(1)) n.require(n.rank(1) == 1, kShape, "has rank {}, not 1", n.rank(1));
  if (!n.has_rank(0)) return;
  if (const auto some = n.some_extents(1); some && !wanted)
    return n.output(0, n.elem(0), partly_known(n, *some));
  if (!wanted) {
    if (n.has_rank(1) && n.shape(1)[0].is_const() && n.shape(1)[0].value() <= 64) {
      const auto count = static_cast<std::size_t>(n.shape(1)[0].value());
      Shape unknown(std::max(count, n.rank(0)));
      for (std::size_t i = 0; i < unknown.size(); ++i)
        unknown[i] = i + count < unknown.size() ? n.shape(0)[i] : n.unknown_extent();
      n.output(0, n.elem(0), unknown);
    }
    return;
  }
  for (const Dim& d : *wanted) n.at_least(d, 0, kShape);
  const Shape out = broadcast(n, n.shape(0), *wanted);
  n.output(0, n.elem(0), out);
  const auto contents = n.extents(0);
  if (contents && contents->size() == 1 && out.size() <= 1 && product(out).is_const() &&
      product(out).value() <= 64)
    n.output_extents(
        0, std::vector<Dim>(static_cast<std::size_t>(product(out).value()), (*contents)[0]));
}

Region spread(const Shape& from, const Shape& out) {
  Region r = whole(out);
  const Shape strides = row_major(from);
  const std::size_t skip = out.size() - from.size();
  for (std::size_t i = 0; i < out.size(); ++i)
    r.from[i] = i < skip ? Dim(0)
                : from[i - skip] == out[i]
                    ? strides[i - skip]
                    : Dim::broadcast_stride(from[i - skip], strides[i - skip]);
  return r;
}

void fold(Fold& n) {
  if (!worth_folding(n)) return;
  const Region r = spread(to_shape(n.in(0).dims()), to_shape(n.out_dims(0)));
  n.out(0, fold_part(r, n.in(0), n.out_dims(0)));
}

void lower(Lower& n) {
  const Shape &x = n.shape(0), &y = n.out_shape(0);
  if (!n.extents(1))
    n.call("expand_extents",
           ExpandExtentsShape<Dim>{rank_of(x), x, product(n.shape(1)), rank_of(y)})
        .in(1)
        .extents(y);
  if (product(x) == product(y)) return n.alias(0, 0);
  lower_region(n, spread(x, y), n.in(0), n.out(0));
}

void axes(Axes& n) {
  const std::size_t missing = n.out_rank(0) - n.rank(0);
  for (std::size_t axis = 0; axis < n.out_rank(0); ++axis) {
    const Dim& extent = n.out_shape(0)[axis];
    const bool of_input = axis >= missing && n.shape(0)[axis - missing] == extent;
    if (!of_input && !extent.is_const()) continue;
    const int over = n.loop(extent);
    n.output(0, axis, {over});
    if (of_input) n.input(0, axis - missing, {over});
  }
  n.adapt = [](Axes::Part& p) { p.set_extents(1); };
}

constexpr Op rows[] = {
    {.name = "Expand",
     .versions = "8 13",
     .inputs = "input:T shape:int64",
     .outputs = "output:T",
     .types = "T: numeric complex bool string",
     .infer = infer,
     .axes = axes,
     .fold = fold,
     .lower = lower,
     .moves_elements = always,
     .gradient = [](Gradient& n) { n.dx_summed(0, n.dy()); }},
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::expand
