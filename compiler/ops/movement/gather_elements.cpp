// GatherElements, ScatterElements and Scatter: read or write single elements along one axis.
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/movement/scatter.hpp"
#include "compiler/ops/region.hpp"

namespace onnxc::ops::gather_elements {
namespace {

void upgrade_scatter(Upgrade& u) { u.to("ScatterElements"); }

std::size_t axis_of(const NodeView& n, std::size_t rank) {
  return n.axis(n.attr_int("axis"), rank, "attribute \"axis\"");
}

// The indices may be smaller than the data; only along `axis` they may be longer.
void check(Infer& n) {
  if (!n.has_rank(0) || !n.has_rank(1)) return;
  n.require(n.rank(0) >= 1, "input 0 \"data\"", "a scalar has no axis");
  n.require(n.rank(0) == n.rank(1), "input 1 \"indices\"", "has rank {}, the data {}", n.rank(1),
            n.rank(0));
  const std::size_t axis = axis_of(n, n.rank(0));
  for (std::size_t i = 0; i < n.rank(0); ++i) {
    const Dim &d = n.shape(0)[i], &k = n.shape(1)[i];
    n.require(i == axis || !d.is_const() || !k.is_const() || k.value() <= d.value(),
              "input 1 \"indices\"", "{} is longer than {} along axis {}", to_string(n.shape(1)),
              to_string(n.shape(0)), i);
    if (i != axis) n.at_most(k, d, "input 1 \"indices\"");
  }
  const Tensor* indices = n.constant(1);
  const Dim& extent = n.shape(0)[axis];
  if (!indices || !extent.is_const()) return;
  for (std::int64_t i : indices->to_int64s())
    n.require(i >= -extent.value() && i < extent.value(), "input 1 \"indices\"",
              "index {} is outside an axis of {}", i, extent.value());
}

void infer_gather(Infer& n) {
  check(n);
  n.output(0, n.elem(0), n.input(1).shape);
}

void infer_scatter(Infer& n) {
  check(n);
  if (n.has_rank(1) && n.has_rank(2))
    n.require(n.rank(1) == n.rank(2), "input 2 \"updates\"", "must have the shape of the indices");
  for (std::size_t i = 0; n.has_rank(1) && n.has_rank(2) && i < n.rank(1); ++i)
    n.same(n.shape(1)[i], n.shape(2)[i], "input 2 \"updates\"");
  infer_unary(n);
}

GatherElementsShape<Dim> gather_shape(const Lower& n) {
  const Shape &data = n.shape(0), &indices = n.shape(1);
  const std::size_t axis = axis_of(n, data.size());
  return {indices, row_major(data), static_cast<std::int64_t>(axis), data[axis], product(indices)};
}

void lower_gather(Lower& n) {
  Call call = n.call("gather_elements", gather_shape(n));
  call.template_arg(std::to_string(n.shape(0).size())).in({0, 1}).out(0);
}

void lower_scatter(Lower& n) {
  Call call =
      n.call("scatter_elements", ScatterElementsShape<Dim>{gather_shape(n), product(n.shape(0))});
  call.template_arg(std::to_string(n.shape(0).size())).template_arg(scatter_op(n)).in({0, 1, 2});
  call.out(0).may_share(0);
}

void gradient(Gradient& n) {
  n.dx(0, n.emit("ScatterElements", {n.builder().filled(0, n.x()), n.x(1), n.dy()},
                 {{"axis", n.attr_int("axis")}, {"reduction", std::string("add")}}));
}

constexpr Op rows[] = {
    {
        .name = "GatherElements",
        .versions = "11 13",
        .inputs = "data:T indices:Tind",
        .outputs = "output:T",
        .types = "T: numeric complex bool string; Tind: int32 int64",
        .attributes = "axis:int=0",
        .infer = infer_gather,
        .lower = lower_gather,
        .gradient = gradient,
    },
    {
        .name = "ScatterElements",
        .versions = "11 13 16 18",
        .inputs = "data:T indices:Tind updates:T",
        .outputs = "output:T",
        .types = "T: numeric complex bool string; Tind: int32 int64",
        .attributes = "axis:int=0 reduction:string=none@16-",
        .infer = infer_scatter,
        .lower = lower_scatter,
        .gradient = [](Gradient& n) { gradient_of_scatter(n, "GatherElements"); },
    },
    {
        .name = "Scatter",
        .versions = "9 11",
        .deprecated = 11,
        .inputs = "data:T indices:Tind updates:T",
        .outputs = "output:T",
        .types = "T: classic; Tind: int32 int64",
        .attributes = "axis:int=0",
        .upgrade = upgrade_scatter,
        .infer = infer_scatter,
        .lower = lower_scatter,
    }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::gather_elements
