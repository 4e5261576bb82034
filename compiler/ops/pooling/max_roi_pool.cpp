// MaxRoiPool: the largest elements of a grid over regions of an image.
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"
#include "templates/pooling/pooling_calls.hpp"

namespace onnxc::ops::max_roi_pool {
namespace {

void infer(Infer& n) {
  const auto& pooled = n.attr_ints("pooled_shape");
  n.require(pooled.size() == 2 && pooled[0] >= 1 && pooled[1] >= 1 && pooled[0] < (1 << 24) &&
                pooled[1] < (1 << 24),
            "attribute \"pooled_shape\"", "needs two positive sizes");
  if (!n.has_rank(0) || !n.has_rank(1)) return n.output(0, n.elem(0), std::nullopt);
  const Shape &x = n.shape(0), &rois = n.shape(1);
  n.require(x.size() == 4, input_field(0, "X"), "rank {}, needs 4", x.size());
  n.require(rois.size() == 2 && (!rois[1].is_const() || rois[1].is(5)), input_field(1, "rois"),
            "shape {}, needs [N,5]", to_string(rois));
  n.same(rois[1], 5, input_field(1, "rois"));
  n.output(0, n.elem(0), Shape{rois[0], x[1], pooled[0], pooled[1]});
}

void lower(Lower& n) {
  const Shape &x = n.shape(0), &y = n.out_shape(0);
  n.call("max_roi_pool", MaxRoiPoolShape<Dim>{x[0], x[1], x[2], x[3], y[0], y[2], y[3],
                                              n.attr_float("spatial_scale")})
      .in({0, 1})
      .out(0);
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
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::max_roi_pool
