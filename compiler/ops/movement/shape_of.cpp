// Shape and Size: the dimensions of a tensor, and their product. onnxc::Dims: integers that the
// passes know as expressions of dimensions.
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::shape_of {
namespace {

// Both bounds may count from the end and are clamped.
std::size_t bound(std::int64_t at, std::size_t rank) {
  const auto r = static_cast<std::int64_t>(rank);
  if (at < 0) at = at < -r ? 0 : at + r;
  return static_cast<std::size_t>(at > r ? r : at);
}

Shape slice_of(const NodeView& n, const Shape& all) {
  const std::size_t first = bound(n.attr_int("start"), all.size());
  const std::size_t last = bound(n.find_int("end").value_or(INT64_MAX), all.size());
  if (first >= last) return {};
  return {all.begin() + static_cast<std::ptrdiff_t>(first),
          all.begin() + static_cast<std::ptrdiff_t>(last)};
}

void infer_shape(Infer& n) {
  if (!n.has_rank(0)) return n.output(0, ElemType::int64, Shape{n.unknown_extent()});
  const Shape extents = slice_of(n, n.shape(0));
  n.output(0, ElemType::int64, Shape{static_cast<std::int64_t>(extents.size())});
  n.output_extents(0, extents);
}

void infer_size(Infer& n) {
  n.output(0, ElemType::int64, Shape{});
  if (n.has_rank(0)) n.output_extents(0, {product(n.shape(0))});
}

void store(Lower& n, const Shape& values) {
  n.call("extents", ExtentsShape<Dim>{rank_of(values), values}).integers("values").out(0);
}

void lower_shape(Lower& n) { store(n, slice_of(n, n.shape(0))); }
void lower_size(Lower& n) { store(n, {product(n.shape(0))}); }
void lower_dims(Lower& n) { store(n, *n.output_value(0).extent); }

// A part has another shape: the extents of cut axes are constants of the whole.
void axes(Axes& n) {
  if (n.attr_int("start") != 0 || n.has_attr("end")) return;
  for (std::size_t axis = 0; axis < n.rank(0); ++axis)
    if (n.shape(0)[axis].is_const())
      n.input(0, axis, {n.loop(n.shape(0)[axis], Axes::Kind::any_part)});
  n.finish = [](Axes::Part& p, Value* shape) { return p.with_whole_extents(shape); };
}

constexpr Op rows[] = {{
                           .name = "Shape",
                           .versions = "1 13 15 19 21 23 24 25",
                           .inputs = "data:T",
                           .outputs = "shape:int64",
                           .types = "T: all",
                           .attributes = "start:int=0@15- end:int@15-",
                           .infer = infer_shape,
                           .axes = axes,
                           .lower = lower_shape,
                       },
                       {
                           .name = "Size",
                           .versions = "1 13 19 21 23 24 25",
                           .inputs = "data:T",
                           .outputs = "size:int64",
                           .types = "T: all",
                           .infer = infer_size,
                           .lower = lower_size,
                       },
                       {
                           .name = "Dims",
                           .domain = "onnxc",
                           .versions = "1",
                           .inputs = "",
                           .outputs = "values:int64",
                           .lower = lower_dims,
                       }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::shape_of
