// MaxRoiPool: the largest elements of a grid over regions of an image. onnxc::MaxRoiPoolIndices
// says where they are, for the derivative.
#include "compiler/kernels/pooling_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::max_roi_pool {
namespace {

void infer_as(Infer& n, ElemType elem) {
  const auto& pooled = n.attr_ints("pooled_shape");
  n.require(pooled.size() == 2 && pooled[0] >= 1 && pooled[1] >= 1 && pooled[0] < (1 << 24) &&
                pooled[1] < (1 << 24),
            "attribute \"pooled_shape\"", "needs two positive sizes");
  if (!n.has_rank(0) || !n.has_rank(1)) return n.output(0, elem, std::nullopt);
  const Shape &x = n.shape(0), &rois = n.shape(1);
  n.require(x.size() == 4, input_field(0, "X"), "rank {}, needs 4", x.size());
  n.require(rois.size() == 2 && (!rois[1].is_const() || rois[1].is(5)), input_field(1, "rois"),
            "shape {}, needs [N,5]", to_string(rois));
  n.same(rois[1], 5, input_field(1, "rois"));
  n.output(0, elem, Shape{rois[0], x[1], pooled[0], pooled[1]});
}

void infer(Infer& n) { infer_as(n, n.elem(0)); }
void infer_indices(Infer& n) { infer_as(n, ElemType::int64); }

void lower_to(Lower& n, KernelName kernel) {
  const Shape &x = n.shape(0), &y = n.out_shape(0);
  n.call(kernel, MaxRoiPoolShape<Dim>{x[0], x[1], x[2], x[3], y[0], y[2], y[3],
                                      n.attr_float("spatial_scale")})
      .in({0, 1})
      .out(0);
}

void lower(Lower& n) { lower_to(n, "max_roi_pool"); }
void lower_indices(Lower& n) { lower_to(n, "max_roi_pool_indices"); }

// An element gets the sum of the results that it is. A bin without elements adds nothing.
void gradient(Gradient& n) {
  n.shape(0);
  NodeBuilder& b = n.builder();
  const Op& indices = get("MaxRoiPoolIndices", "onnxc");
  const auto flat = [&](Term v) { return n.emit("Reshape", {v, n.list({-1})}); };
  const Term at = flat(b.term(b.add(indices, {n.x(0), n.x(1)}, 1, n.node().attributes).front()));
  const Term none = at < b.integer(0);
  const Term dx = n.emit(
      "ScatterElements",
      {flat(b.filled(0, n.x(0))), choose(none, b.integer(0), at), choose(none, 0.0, flat(n.dy()))},
      {{"reduction", std::string("add")}});
  n.dx(0, b.reshape(dx, n.x(0)));
}

constexpr Op rows[] = {{
                           .name = "MaxRoiPool",
                           .versions = "1 22",
                           .inputs = "X:T rois:T",
                           .outputs = "Y:T",
                           .types = "T: floats",
                           .attributes = "pooled_shape:ints! spatial_scale:float=1",
                           .infer = infer,
                           .lower = lower,
                           .gradient = gradient,
                       },
                       {
                           .name = "MaxRoiPoolIndices",
                           .domain = "onnxc",
                           .versions = "1",
                           .inputs = "X:T rois:T",
                           .outputs = "Indices:int64",
                           .types = "T: floats",
                           .attributes = "pooled_shape:ints! spatial_scale:float=1",
                           .infer = infer_indices,
                           .lower = lower_indices,
                           .gradient = gradient_is_zero,
                       }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::max_roi_pool
