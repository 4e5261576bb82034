// Slice: a strided part of a tensor; steps may be negative. DynamicSlice, an experimental operator
// of the first opsets: Slice by inputs, without steps.
#include <algorithm>
#include <numeric>

#include "compiler/ir/layout.hpp"
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/region.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::slice {
namespace {

constexpr const char *kStarts = "input 1 \"starts\"", *kEnds = "input 2 \"ends\"",
                     *kAxes = "input 3 \"axes\"", *kSteps = "input 4 \"steps\"";

constexpr std::int64_t kFar = INT32_MAX;  // models write this or INT64_MAX for "to the end"

// Up to opset 9 starts, ends and axes are attributes.
void upgrade(Upgrade& u) {
  u.attribute_to_input("starts", 1);
  u.attribute_to_input("ends", 2);
  u.attribute_to_input("axes", 3);
}

// The part kept of one axis: `count` elements from `start` on, with a stride of `step`.
struct Cut {
  Dim start = 0, count;
  std::int64_t step = 1;
};

Dim clamp(const Dim& v, const Dim& low, const Dim& high) {
  return Dim::max(low, Dim::min(v, high));
}

// A bound clamped to [low, high], negative ones counted from the end.
Dim position(const Dim& bound, const Dim& extent, const Dim& low, const Dim& high) {
  if (!bound.is_const()) return clamp(Dim::from_end(bound, extent), low, high);
  const std::int64_t v = bound.value();
  if (v >= kFar) return high;
  if (v <= -kFar) return low;
  if (v == 0 && low.is(0)) return high.is_const() ? Dim::min(0, high) : Dim(0);
  return clamp(v < 0 ? extent + v : bound, low, high);
}

Cut cut_of(const Dim& extent, const Dim& start, const Dim& end, std::int64_t step) {
  Cut c;
  c.step = step;
  const bool forward = step > 0;
  const Dim low = forward ? 0 : -1, high = forward ? extent : extent - 1;
  const Dim first_low = forward ? Dim(0) : Dim::min(0, high);
  c.start = position(start, extent, first_low, high);
  const Dim last = position(end, extent, low, high);
  const Dim span = forward ? last - c.start : c.start - last;
  // A step larger than any extent selects the same elements, and a clamped one cannot overflow.
  if (c.step > kFar * kFar) c.step = kFar * kFar;
  if (c.step < -kFar * kFar) c.step = -kFar * kFar;
  c.count = Dim::max(0, Dim::ceil_div(span, forward ? c.step : -c.step));
  return c;
}

// The cuts of all axes; nullopt when they are known only at run time.
std::optional<std::vector<Cut>> cuts_of(const NodeView& n, const Shape& from,
                                        const std::optional<std::vector<Dim>>& starts,
                                        const std::optional<std::vector<Dim>>& ends,
                                        const std::optional<std::vector<std::int64_t>>& axes,
                                        const std::optional<std::vector<std::int64_t>>& steps) {
  if (!starts || !ends || (n.has_input(3) && !axes) || (n.has_input(4) && !steps))
    return std::nullopt;
  n.require(starts->size() == ends->size(), kEnds, "has {} entries, starts has {}", ends->size(),
            starts->size());
  n.require(!axes || axes->size() == starts->size(), kAxes, "does not match starts in length");
  n.require(!steps || steps->size() == starts->size(), kSteps, "does not match starts in length");
  n.require(axes || starts->size() <= from.size(), kStarts, "has {} entries for rank {}",
            starts->size(), from.size());
  std::vector<Cut> cuts;
  for (const Dim& d : from) cuts.push_back({0, d, 1});
  std::vector<bool> seen(from.size(), false);
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const std::size_t axis = axes ? n.axis((*axes)[i], from.size(), kAxes) : i;
    n.require(!seen[axis], kAxes, "names axis {} twice", axis);
    seen[axis] = true;
    const std::int64_t step = steps ? (*steps)[i] : 1;
    n.require(step != 0, kSteps, "step 0");
    cuts[axis] = cut_of(from[axis], (*starts)[i], (*ends)[i], step);
  }
  return cuts;
}

void slice_extents(Infer& n, const Cut& cut) {
  const auto data = n.extents(0);
  if (!data || !cut.start.is_const() || !cut.count.is_const()) return;
  std::vector<Dim> out;
  for (std::int64_t i = 0; i < cut.count.value(); ++i)
    out.push_back((*data)[static_cast<std::size_t>(cut.start.value() + i * cut.step)]);
  n.output_extents(0, std::move(out));
}

// With unknown bounds no axis grows, and axes that are not named stay.
Shape possible(Infer& n) {
  const auto axes = n.ints(3), steps = n.ints(4);
  Shape out = n.shape(0);
  n.require(!steps || std::count(steps->begin(), steps->end(), 0) == 0, kSteps, "step 0");
  if (n.has_rank(1) && n.rank(1) == 1)
    n.at_most(n.shape(1)[0], static_cast<std::int64_t>(out.size()), kStarts);
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::size_t named = axes ? 0 : 1;
    for (std::size_t k = 0; axes && k < axes->size(); ++k)
      if (n.axis((*axes)[k], out.size(), kAxes) == i) ++named;
    n.require(named <= 1, kAxes, "names axis {} twice", i);
    if (named == 1) out[i] = n.unknown_extent(out[i]);
  }
  return out;
}

void infer(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  const char* const fields[] = {kStarts, kEnds, kAxes, kSteps};
  for (std::size_t i = 1; i < 5; ++i) {
    const char* field = fields[i - 1];
    if (n.has_rank(i)) n.require(n.rank(i) <= 1, field, "has rank {}, not 1", n.rank(i));
    if (n.has_rank(1) && n.has_rank(i) && n.rank(1) == 1 && n.rank(i) == 1)
      n.same(n.shape(1)[0], n.shape(i)[0], field);
  }
  if (!n.has_rank(0)) return;
  const auto cuts = cuts_of(n, n.shape(0), n.extents(1), n.extents(2), n.ints(3), n.ints(4));
  if (!cuts) return n.output(0, n.elem(0), possible(n));
  Shape out;
  for (const Cut& c : *cuts) out.push_back(c.count);
  n.output(0, n.elem(0), out);
  if (n.rank(0) == 1) slice_extents(n, (*cuts)[0]);
}

Region region_of(const Shape& from, const Shape& strides, const std::vector<Cut>& cuts) {
  Region r;
  r.from = strides;
  for (std::size_t i = 0; i < from.size(); ++i) {
    r.dims.push_back(cuts[i].count);
    r.from_offset = r.from_offset + cuts[i].start * r.from[i];
    // A single element needs no step, which may overflow the product.
    r.from[i] = cuts[i].count.is(1) ? r.from[i] : r.from[i] * cuts[i].step;
  }
  r.to = row_major(r.dims);
  return r;
}

std::optional<std::vector<Dim>> contents(const NodeView& n, std::size_t i) {
  if (!n.has_input(i)) return std::nullopt;
  if (const Tensor* t = n.constant(i)) {
    const auto ints = t->to_int64s();
    return std::vector<Dim>(ints.begin(), ints.end());
  }
  return n.input_value(i).extent;
}

std::optional<std::vector<std::int64_t>> numbers(const NodeView& n, std::size_t i) {
  const Tensor* t = n.constant(i);
  return t ? std::optional(t->to_int64s()) : std::nullopt;
}

bool bounds_known(const NodeView& n) {
  for (std::size_t i = 1; i < 3; ++i)
    if (!contents(n, i)) return false;
  for (std::size_t i = 3; i < 5; ++i)
    if (n.has_input(i) && !n.constant(i)) return false;
  return true;
}

std::vector<Cut> known_cuts(const NodeView& n, const Shape& from) {
  auto cuts = cuts_of(n, from, contents(n, 1), contents(n, 2), numbers(n, 3), numbers(n, 4));
  if (!cuts) n.unsupported("inputs", "dynamic bounds");
  return *cuts;
}

bool is_empty(const std::vector<Cut>& cuts) {
  return std::any_of(cuts.begin(), cuts.end(), [](const Cut& c) { return c.count.is(0); });
}

void fold(Fold& n) {
  if (!worth_folding(n)) return;
  const Shape from = to_shape(n.in(0).dims());
  const auto cuts = known_cuts(n, from);
  if (is_empty(cuts)) return n.out(0, Tensor::zeros(n.out_elem(0), n.out_dims(0)));
  n.out(0, fold_part(region_of(from, row_major(from), cuts), n.in(0), n.out_dims(0)));
}

void lower_run_time_bounds(Lower& n) {
  if (n.shape(0).empty()) return n.alias(0, 0);
  n.call("slice_extents", SliceExtentsShape<Dim>{n.shape(0), product(n.shape(1))})
      .template_arg(std::to_string(n.shape(0).size()))
      .in({1, 2})
      .in(3, n.elem(1))
      .in(4, n.elem(1))
      .extents(n.out_shape(0));
  n.call("slice_bounds", SliceBoundsShape<Dim>{n.shape(0), n.out_shape(0), product(n.shape(1))})
      .template_arg(std::to_string(n.shape(0).size()))
      .in({0, 1, 2})
      .in(3, n.elem(1))
      .in(4, n.elem(1))
      .out(0);
}

void lower(Lower& n) {
  if (!bounds_known(n)) return lower_run_time_bounds(n);
  const Shape& from = n.shape(0);
  const auto cuts = known_cuts(n, from);
  if (is_empty(cuts)) return;
  const Shape strides = storage_view(n.input_value(0)).strides;
  Region r = in_layout(region_of(from, strides, cuts), n.layout(0));
  r.to = row_major(r.dims);
  lower_part(n, r, 0, 0);
}

LayoutRule layout(const Node& node) { return {.accepts = bounds_known(NodeView(node))}; }

// Without steps: zeros before and after. `pads` follows from the shapes and the clamped starts.
Term padded_back(const Gradient& n) {
  const auto number = [&](std::int64_t v) { return n.list({v}); };
  std::vector<std::int64_t> first(static_cast<std::size_t>(n.shape(1)[0].value()));
  std::iota(first.begin(), first.end(), 0);
  const Term axes = n.has_input(3) ? convert(n.x(3), ElemType::int64) : n.list(first);
  const Term extents = n.emit("Gather", {n.shape_of(n.x()), axes});
  Term start = convert(n.x(1), ElemType::int64);
  const auto known = n.extents(1);
  const auto counts_from_start = [](const Dim& d) { return d.is_never_below(0); };
  if (!known || !std::all_of(known->begin(), known->end(), counts_from_start))
    start = choose(start < number(0), start + extents, start);
  start = n.emit("Min", {n.emit("Max", {start, number(0)}), extents});
  const Term counts = n.emit("Gather", {n.shape_of(n.y()), axes});
  const Term pads =
      n.emit("Concat", {start, extents - start - counts}, {{"axis", std::int64_t{0}}});
  return n.emit("Pad", {n.dy(), pads, nullptr, axes});
}

void gradient(Gradient& n) {
  const auto steps = n.has_input(4) ? n.ints(4) : std::vector<std::int64_t>{};
  const bool dense =
      steps && std::all_of(steps->begin(), steps->end(), [](std::int64_t s) { return s == 1; });
  const bool counted = n.input(1).has_rank() && n.shape(1)[0].is_const();
  if (!dense || !counted) return gradient_of_moved_elements(n);
  n.dx(0, n.builder().reshape(padded_back(n), n.x()));
}

void upgrade_dynamic_slice(Upgrade& n) { n.to("Slice"); }

// Only axes that stay whole may be cut.
void axes(Axes& n) {
  const auto named = n.ints(3);
  for (std::size_t axis = 0; axis < n.rank(0); ++axis) {
    bool sliced = !named;
    for (std::size_t k = 0; named && k < named->size(); ++k)
      sliced = sliced || n.axis((*named)[k], n.rank(0)) == axis;
    if (sliced) continue;
    const int over = n.loop(n.shape(0)[axis]);
    n.input(0, axis, {over});
    n.output(0, axis, {over});
  }
}

constexpr Op rows[] = {{
                           .name = "Slice",
                           .versions = "1 10 11 13",
                           .inputs = "data:T starts:Tind ends:Tind axes:Tind? steps:Tind?",
                           .outputs = "output:T",
                           .types = "T: numeric complex bool string; Tind: int32 int64",
                           .attributes = "starts:ints!@1-9 ends:ints!@1-9 axes:ints@1-9",
                           .upgrade = upgrade,
                           .infer = infer,
                           .axes = axes,
                           .fold = fold,
                           .lower = lower,
                           .layout = layout,
                           .moves_elements = always,
                           .gradient = gradient,
                       },
                       {
                           .name = "DynamicSlice",
                           .versions = "1",
                           .deprecated = 10,
                           .inputs = "data:T starts:Tind ends:Tind axes:Tind?",
                           .outputs = "output:T",
                           .types = "T: classic; Tind: int32 int64",
                           .upgrade = upgrade_dynamic_slice,
                       }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::slice
