// RoiAlign: samples regions of an image at fractional positions and pools them.
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/upgrade.hpp"
#include "compiler/ops/window.hpp"
#include "templates/pooling/pooling_calls.hpp"

namespace onnxc::ops::roi_align {
namespace {

std::int64_t positive(const NodeView& n, const char* name, std::int64_t least) {
  const std::int64_t v = n.attr_int(name);
  n.require(v >= least && v < (1 << 24), "attribute " + quoted(name), "{} is no size", v);
  return v;
}

bool flag(const NodeView& n, const char* name, const char* yes, const char* no) {
  const std::string& v = n.attr_string(name);
  n.require(v == yes || v == no, "attribute " + quoted(name), "{} is no choice", quoted(v));
  return v == yes;
}

void upgrade(Upgrade& n) {
  if (n.version() < 16) n.set("coordinate_transformation_mode", std::string("output_half_pixel"));
}

void infer(Infer& n) {
  const std::int64_t h = positive(n, "output_height", 1), w = positive(n, "output_width", 1);
  positive(n, "sampling_ratio", 0);
  flag(n, "mode", "max", "avg");
  flag(n, "coordinate_transformation_mode", "half_pixel", "output_half_pixel");
  if (!n.has_rank(0) || !n.has_rank(1)) return n.output(0, n.elem(0), std::nullopt);
  const Shape &x = n.shape(0), &rois = n.shape(1);
  n.require(x.size() == 4, input_field(0, "X"), "rank {}, needs 4", x.size());
  n.require(rois.size() == 2 && (!rois[1].is_const() || rois[1].is(4)), input_field(1, "rois"),
            "shape {}, needs [N,4]", to_string(rois));
  n.same(rois[1], 4, input_field(1, "rois"));
  require_vector(n, 2, "batch_indices", rois[0]);
  n.output(0, n.elem(0), Shape{rois[0], x[1], h, w});
}

void lower(Lower& n) {
  const Shape &x = n.shape(0), &y = n.out_shape(0);
  n.call("roi_align", RoiAlignShape<Dim>{.batch = x[0],
                                         .channels = x[1],
                                         .height = x[2],
                                         .width = x[3],
                                         .count = y[0],
                                         .out_h = y[2],
                                         .out_w = y[3],
                                         .samples = n.attr_int("sampling_ratio"),
                                         .scale = n.attr_float("spatial_scale"),
                                         .half_pixel = flag(n, "coordinate_transformation_mode",
                                                            "half_pixel", "output_half_pixel"),
                                         .largest = flag(n, "mode", "max", "avg")})
      .in({0, 1, 2})
      .out(0);
}

constexpr Op rows[] = {{
    .name = "RoiAlign",
    .versions = "10 16 22",
    .inputs = "X:T1 rois:T1 batch_indices:int64",
    .outputs = "Y:T1",
    .types = "T1: floats",
    .attributes = "coordinate_transformation_mode:string=half_pixel@16- mode:string=avg "
                  "output_height:int=1 output_width:int=1 sampling_ratio:int=0 "
                  "spatial_scale:float=1",
    .upgrade = upgrade,
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::roi_align
