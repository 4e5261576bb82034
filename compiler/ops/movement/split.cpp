// Split: cuts a tensor along one axis.
#include <cmath>

#include "compiler/ops/axes.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/movement/given_extents.hpp"
#include "compiler/ops/region.hpp"

namespace onnxc::ops::split {
namespace {

constexpr const char* kSplit = "input 1 \"split\"";

// Split-1 has the lengths in the type of the data, possibly floats.
void upgrade(Upgrade& u) {
  constexpr int kEither = 18;  // since_version with num_outputs
  u.require(u.version() < kEither || u.has_input(1) || u.has_attr("num_outputs"),
            "attribute \"num_outputs\"", "or {} is required", kSplit);
  u.attribute_to_input("split", 1);
  const Tensor* lengths = u.constant(1);
  if (u.version() != 1 || !lengths || is_integer(lengths->elem())) return;
  std::vector<std::int64_t> whole;
  for (std::int64_t i = 0; i < lengths->size(); ++i) {
    const double length = lengths->number(i);
    u.require(length >= 0 && length < 1e15 && std::trunc(length) == length, kSplit,
              "{} is no length", length);
    whole.push_back(static_cast<std::int64_t>(length));
  }
  u.set_input(1, u.constant(Tensor::ints(whole)));
}

std::vector<Dim> equal_parts(const NodeView& n, const Dim& extent) {
  const auto count = static_cast<std::int64_t>(n.output_count());
  if (const auto given = n.find_int("num_outputs")) {
    n.require(*given == count, "attribute \"num_outputs\"", "{}, but the node has {} outputs",
              *given, count);
  } else {  // up to Split-13 the parts are equal
    n.require(!extent.is_const() || extent.value() % count == 0, "outputs",
              "{} equal parts do not fit an axis of {}", count, extent.to_string());
    n.same(Dim::floor_div(extent, count) * count, extent, "outputs");
  }
  const Dim chunk = Dim::ceil_div(extent, count), last = extent - chunk * (count - 1);
  n.require(!last.is_const() || last.value() >= 0, "outputs", "{} do not fit an axis of {}", count,
            extent.to_string());
  n.at_least(last, 0, "outputs");
  std::vector<Dim> parts(static_cast<std::size_t>(count), chunk);
  parts.back() = last;
  return parts;
}

std::vector<Dim> given_parts(const NodeView& n, const std::vector<Dim>& given, const Dim& extent) {
  n.require(given.size() == n.output_count(), kSplit, "has {} lengths for {} outputs", given.size(),
            n.output_count());
  Dim sum = 0;
  for (const Dim& d : given) {
    n.at_least(d, 0, kSplit);
    sum = sum + d;
  }
  n.require(!sum.is_const() || !extent.is_const() || sum == extent, kSplit,
            "lengths add up to {}, the axis has {}", sum.to_string(), extent.to_string());
  n.same(sum, extent, kSplit);
  return given;
}

void infer(Infer& n) {
  for (std::size_t i = 0; i < n.output_count(); ++i) n.output(i, n.elem(0), std::nullopt);
  if (!n.has_rank(0)) return;
  const std::size_t axis = n.axis(n.attr_int("axis"), n.rank(0), "attribute \"axis\"");
  const auto given = n.extents(1);
  n.require(!n.has_input(1) || !n.has_attr("num_outputs"), "attribute \"num_outputs\"",
            "together with {}", kSplit);
  if (n.has_rank(1)) n.require(n.rank(1) == 1, kSplit, "has rank {}, not 1", n.rank(1));
  if (!given && n.has_rank(1))
    n.same(n.shape(1)[0], static_cast<std::int64_t>(n.output_count()), kSplit);
  std::vector<Dim> parts;
  if (given)
    parts = given_parts(n, *given, n.shape(0)[axis]);
  else if (!n.has_input(1))
    parts = equal_parts(n, n.shape(0)[axis]);
  Dim start = 0;
  const auto contents = n.extents(0);
  for (std::size_t i = 0; i < n.output_count(); ++i) {
    Shape out = n.shape(0);
    out[axis] = parts.empty() ? n.unknown_extent(out[axis]) : parts[i];
    n.output(i, n.elem(0), out);
    if (!contents || parts.empty() || n.rank(0) != 1) continue;
    const Dim end = start + parts[i];
    if (start.is_const() && end.is_const() && end.value() <= std::ssize(*contents))
      n.output_extents(i, {contents->begin() + start.value(), contents->begin() + end.value()});
    start = end;
  }
}

Region part_of(const Shape& from, const Shape& out, std::size_t axis, const Dim& start) {
  Region r{out, row_major(from), row_major(out)};
  r.from_offset = start * r.from[axis];
  return r;
}

void fold(Fold& n) {
  const Shape from = to_shape(n.in(0).dims());
  const std::size_t axis = n.axis(n.attr_int("axis"), from.size());
  if (n.in(0).elem() == ElemType::string) return;
  Dim start = 0;
  for (std::size_t i = 0; i < n.output_count(); ++i) {
    const Shape out = *n.output_value(i).type.shape;
    n.out(i, fold_part(part_of(from, out, axis, start), n.in(0), fixed(out)));
    start = start + out[axis];
  }
}

void lower_lengths(Lower& n, std::size_t axis) {
  Shape lengths;
  for (std::size_t i = 0; i < n.output_count(); ++i) {
    if (!n.has_output(i)) n.unsupported(kSplit, "dynamic lengths where outputs are left out");
    lengths.push_back(n.out_stored(i)[axis]);
  }
  const Dim extent = n.stored(0)[axis];
  lower_given_extents(n, 1, lengths, extent, extent);
}

void lower(Lower& n) {
  const Shape from = n.stored(0);
  const std::size_t logical = n.axis(n.attr_int("axis"), from.size());
  const std::size_t axis = n.stored_axis(logical, from.size());
  if (n.has_input(1)) lower_lengths(n, axis);
  Dim start = 0;
  for (std::size_t i = 0; i < n.output_count(); ++i) {
    const Shape out = n.out_stored(i);
    lower_part(n, part_of(from, out, axis, start), 0, i);
    start = start + out[axis];
  }
}

bool all_outputs_used(const Node& node) {
  return std::all_of(node.outputs.begin(), node.outputs.end(),
                     [](const Value* v) { return v != nullptr; });
}

LayoutRule layout(const Node& node) { return {.accepts = all_outputs_used(node)}; }

void gradient(Gradient& n) {
  std::vector<Value*> parts;
  for (std::size_t i = 0; i < n.output_count(); ++i)
    if (n.has_output(i)) parts.push_back(n.dy_or_zero(i));
  n.dx(0, n.emit("Concat", parts, {{"axis", n.attr_int("axis")}}));
}

bool has_equal_parts(const Axes& n, std::size_t axis) {
  for (std::size_t i = 0; i < n.output_count(); ++i) {
    if (!n.has_output(i)) return false;
    const Shape& shape = *n.output_value(i).type.shape;
    if (!shape[axis].is_const() || !(shape[axis] == n.out_shape(0)[axis])) return false;
  }
  return n.output_count() > 0;
}

void axes(Axes& n) {
  const std::size_t divided = n.axis(n.attr_int("axis"), n.rank(0));
  n.same_but(divided, divided + 1);
  for (std::size_t i = 1; i < n.output_count(); ++i)
    for (std::size_t axis = 0; axis < n.rank(0); ++axis)
      if (n.has_output(i)) n.output(i, axis, n.outputs()[0][axis]);
  if (!has_equal_parts(n, divided)) return;
  const auto count = static_cast<std::int64_t>(n.output_count());
  const int part = n.loop(count, Axes::Kind::whole), inner = n.loop(n.out_shape(0)[divided]);
  n.input(0, divided, {part, inner});
  for (std::size_t i = 0; i < n.output_count(); ++i) n.output(i, divided, {inner});
  n.adapt = [inner](Axes::Part& p) {
    if (!p.cut(inner)) return;
    p.node.attributes.erase("num_outputs");
    p.node.inputs.resize(2);
    const std::int64_t own = p.extents[static_cast<std::size_t>(inner)].value();
    p.set_ints(1, std::vector<std::int64_t>(p.node.outputs.size(), own));
  };
}

constexpr Op rows[] = {{
    .name = "Split",
    .versions = "1 2 11 13 18",
    .inputs = "input:T split:int64?",
    .outputs = "outputs:T+",
    .types = "T: numeric complex bool string",
    .attributes = "axis:int=0 num_outputs:int@18- split:ints@1-12",
    .upgrade = upgrade,
    .infer = infer,
    .axes = axes,
    .fold = fold,
    .lower = lower,
    .layout = layout,
    .moves_elements = always,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::split
