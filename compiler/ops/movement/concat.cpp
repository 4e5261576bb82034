// Concat: joins tensors along one axis.
#include "compiler/ir/layout.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/region.hpp"

namespace onnxc::ops::concat {
namespace {

void upgrade(Upgrade& u) {
  if (u.version() < 4 && !u.has_attr("axis")) u.set("axis", std::int64_t{1});
}

void add_shape(Infer& n, Shape& shape, std::size_t axis, std::size_t i) {
  n.require(n.rank(i) == shape.size(), fmt::format("input {}", i), "has rank {}, input 0 has {}",
            n.rank(i), shape.size());
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const Dim& d = n.shape(i)[k];
    if (k == axis) {
      shape[k] = shape[k] + d;
      continue;
    }
    n.require(shape[k] == d || !shape[k].is_const() || !d.is_const(), fmt::format("input {}", i),
              "{} does not match {} outside of axis {}", to_string(n.shape(i)), to_string(shape),
              axis);
    shape[k] = n.same(shape[k], d, fmt::format("input {}", i));
  }
}

void join_extents(Infer& n) {
  if (!is_integer(n.elem(0))) return;
  constexpr std::int64_t kMax = 64;  // longer tensors are not shapes
  std::vector<std::optional<Dim>> all;
  for (std::size_t i = 0; i < n.input_count(); ++i) {
    if (n.rank(i) != 1 || all.size() > kMax) return;
    if (const auto part = n.some_extents(i))
      all.insert(all.end(), part->begin(), part->end());
    else if (const auto count = n.shape(i)[0].constant(); count && *count <= kMax)
      all.insert(all.end(), static_cast<std::size_t>(*count), std::nullopt);
    else
      return;
  }
  n.output_some_extents(0, std::move(all));
}

void infer(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (!n.has_rank(i)) return;
  const std::size_t axis = n.axis(n.attr_int("axis"), n.rank(0), "attribute \"axis\"");
  Shape shape = n.shape(0);
  for (std::size_t i = 1; i < n.input_count(); ++i) add_shape(n, shape, axis, i);
  n.output(0, n.elem(0), std::move(shape));
  join_extents(n);
}

// The region of the result for an operand of shape `dims` that starts at `start` along `axis`.
Region part_of(const Shape& dims, const Shape& out, std::size_t axis, const Dim& start) {
  Region r{dims, row_major(dims), row_major(out)};
  r.to_offset = start * r.to[axis];
  return r;
}

void fold(Fold& n) {
  if (!worth_folding(n)) return;
  const Shape out = to_shape(n.out_dims(0));
  const std::size_t axis = n.axis(n.attr_int("axis"), out.size());
  const Tensor zeros = Tensor::zeros(n.out_elem(0), n.out_dims(0));
  std::vector<std::byte> bytes(zeros.bytes().size());
  Dim start = 0;
  for (std::size_t i = 0; i < n.input_count(); ++i) {
    const Shape dims = to_shape(n.in(i).dims());
    fold_region(part_of(dims, out, axis, start), n.in(i), bytes);
    start = start + dims[axis];
  }
  n.out(0, {n.out_elem(0), n.out_dims(0), Blob::owned(std::move(bytes))});
}

// The same in storage order.
Shape stored_strides(const Value& v) { return stored_shape(storage_view(v).strides, v.layout); }

// Inputs that are views of the result need no copy.
bool is_in_place(const Lower& n, std::size_t i, const Dim& start) {
  const Value& v = n.input_value(i);
  return v.view_of == &n.output_value(0) && start.is(v.channel_offset);
}

void lower(Lower& n) {
  const Shape out = n.out_stored(0);
  const std::size_t logical = n.axis(n.attr_int("axis"), out.size());
  const std::size_t axis = n.stored_axis(logical, out.size());
  const Shape to = stored_strides(n.output_value(0));
  Dim start = 0;
  for (std::size_t i = 0; i < n.input_count(); ++i) {
    const Shape dims = n.stored(i);
    Region part{dims, stored_strides(n.input_value(i)), to};
    part.to_offset = start * to[axis];
    if (!is_in_place(n, i, start)) lower_joined(n, part, n.in(i), n.out(0));
    start = start + dims[axis];
  }
}

LayoutRule layout(const Node&) {
  return {.accepts = true, .all_inputs = true, .parts_in = true, .part_out = true};
}

void gradient(Gradient& n) {
  const auto axis = static_cast<std::int64_t>(n.axis(n.attr_int("axis"), n.shape(0).size()));
  Term start = n.list({0});
  for (std::size_t i = 0; i < n.input_count(); ++i) {
    const Term size = n.emit("Shape", {n.x(i)}, {{"start", axis}, {"end", std::int64_t{axis + 1}}});
    const Term end = start + size;
    if (n.wants(i)) n.dx(i, n.emit("Slice", {n.dy(), start, end, n.list({axis})}));
    start = end;
  }
}

void axes(Axes& n) {
  const std::size_t joined = n.axis(n.attr_int("axis"), n.rank(0));
  n.same_but(joined, joined + 1);
  for (std::size_t i = 1; i < n.input_count(); ++i)
    for (std::size_t axis = 0; axis < n.rank(0); ++axis) n.input(i, axis, n.inputs()[0][axis]);
}

constexpr Op rows[] = {{
    .name = "Concat",
    .versions = "1 4 11 13",
    .inputs = "inputs:T+",
    .outputs = "concat_result:T",
    .types = "T: numeric complex bool string",
    .attributes = "axis:int!@4- axis:int@1-3",
    .upgrade = upgrade,
    .infer = infer,
    .axes = axes,
    .fold = fold,
    .lower = lower,
    .layout = layout,
    .moves_elements = always,
    .forwards = has_one_input,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::concat
