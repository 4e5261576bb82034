// Gather: selects slices along one axis by index.
#include "templates/movement/gather.hpp"
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/region.hpp"

namespace onnxc::ops::gather {
namespace {

// A constant index out of range is an error of the model.
void check_indices(const NodeView& n, const Dim& extent) {
  const Tensor* indices = n.constant(1);
  if (!indices || !extent.is_const()) return;
  for (std::int64_t i : indices->to_int64s())
    n.require(i >= -extent.value() && i < extent.value(), "input 1 \"indices\"",
              "index {} is outside an axis of {}", i, extent.value());
}

void pick_extents(Infer& n) {
  const auto data = n.extents(0);
  const auto indices = n.ints(1);
  if (!data || !indices || n.rank(0) != 1) return;
  std::vector<Dim> out;
  for (std::int64_t i : *indices) {
    const auto size = static_cast<std::int64_t>(data->size());
    if (i < -size || i >= size) return;
    out.push_back((*data)[static_cast<std::size_t>(i < 0 ? i + size : i)]);
  }
  n.output_extents(0, std::move(out));
}

void infer(Infer& n) {
  if (!n.has_rank(0) || !n.has_rank(1)) return n.output(0, n.elem(0), std::nullopt);
  n.require(n.rank(0) >= 1, "input 0 \"data\"", "a scalar has no axis");
  const std::size_t axis = n.axis(n.attr_int("axis"), n.rank(0), "attribute \"axis\"");
  const Shape &data = n.shape(0), &indices = n.shape(1);
  check_indices(n, data[axis]);
  Shape out(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(axis));
  out.insert(out.end(), indices.begin(), indices.end());
  out.insert(out.end(), data.begin() + static_cast<std::ptrdiff_t>(axis) + 1, data.end());
  n.output(0, n.elem(0), out);
  pick_extents(n);
}

struct FoldShape {
  Index outer, extent, inner, count;
};

void fold(Fold& n) {
  if (!worth_folding(n)) return;
  const Tensor &x = n.in(0), &indices = n.in(1);
  const Shape dims = to_shape(x.dims());
  const std::size_t axis = n.axis(n.attr_int("axis"), dims.size());
  const FoldShape s{product(dims, 0, axis).value(), dims[axis].value(),
                    product(dims, axis + 1, dims.size()).value(), indices.size()};
  const auto wide = indices.to_int64s();
  with_width(x.elem(), [&](auto tag) {
    using T = decltype(tag);
    TensorBuilder y(x.elem(), n.out_dims(0));
    if (onnxc::gather(s, x.as<T>().data(), wide.data(), y.data<T>()) == Status::ok)
      n.out(0, y.take());
  });
}

// One constant index selects a view of the data.
bool lower_one(Lower& n, const Shape& data, std::size_t axis) {
  const Tensor* indices = n.constant(1);
  if (!indices || indices->size() != 1) return false;
  const std::int64_t i = indices->to_int64s()[0];
  Region r = whole(data);
  r.from_offset = (i < 0 ? data[axis] + i : Dim(i)) * r.from[axis];
  r.dims[axis] = 1;
  r.to = row_major(r.dims);
  if (!data[axis].is_const()) return false;
  lower_part(n, r, 0, 0);
  return true;
}

void lower(Lower& n) {
  const Shape& data = n.shape(0);
  const std::size_t axis = n.axis(n.attr_int("axis"), data.size());
  if (lower_one(n, data, axis)) return;
  n.call("gather", GatherShape<Dim>{product(data, 0, axis), data[axis],
                                    product(data, axis + 1, data.size()), product(n.shape(1))})
      .in({0, 1})
      .out(0);
}

// Adds each slice to where it came from; the axis comes first meanwhile.
void gradient(Gradient& n) {
  const auto axis = static_cast<std::int64_t>(n.axis(n.attr_int("axis"), n.shape(0).size()));
  const auto rank = static_cast<std::int64_t>(n.shape(0).size());
  const auto index_rank = static_cast<std::int64_t>(n.shape(1).size());
  std::vector<std::int64_t> there, slices;  // permutations of the operand and the result
  for (std::int64_t i = 0; i < index_rank; ++i) slices.push_back(axis + i);
  for (std::int64_t i = 0; i < axis; ++i) slices.push_back(i);
  for (std::int64_t i = axis + index_rank; i < rank - 1 + index_rank; ++i) slices.push_back(i);
  there.push_back(axis);
  for (std::int64_t i = 0; i < rank; ++i)
    if (i != axis) there.push_back(i);
  std::vector<std::int64_t> back(there.size());
  for (std::size_t i = 0; i < there.size(); ++i)
    back[static_cast<std::size_t>(there[i])] = static_cast<std::int64_t>(i);
  const Term zeros = n.builder().filled(0, n.x());
  const Term at = n.emit("Unsqueeze", {convert(n.x(1), ElemType::int64), n.list({-1})});
  const auto moved = [&](Term v, const std::vector<std::int64_t>& perm) {
    return axis == 0 ? v : permute(v, perm);
  };
  const Term sum = n.emit("ScatterND", {moved(zeros, there), at, moved(n.dy(), slices)},
                          {{"reduction", std::string("add")}});
  n.dx(0, moved(sum, back));
}

// The axis that is indexed is whole.
void axes(Axes& n) {
  const std::size_t indexed = n.axis(n.attr_int("axis"), n.rank(0));
  for (std::size_t axis = 0; axis < n.out_rank(0); ++axis) {
    const int over = n.loop(n.out_shape(0)[axis]);
    n.output(0, axis, {over});
    if (axis < indexed)
      n.input(0, axis, {over});
    else if (axis < indexed + n.rank(1))
      n.input(1, axis - indexed, {over});
    else
      n.input(0, axis - n.rank(1) + 1, {over});
  }
}

constexpr Op rows[] = {{
    .name = "Gather",
    .versions = "1 11 13",
    .inputs = "data:T indices:Tind",
    .outputs = "output:T",
    .types = "T: numeric complex bool string; Tind: int32 int64",
    .attributes = "axis:int=0",
    .infer = infer,
    .axes = axes,
    .fold = fold,
    .lower = lower,
    .moves_elements = always,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::gather
