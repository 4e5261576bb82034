// RoiAlign: samples regions of an image at fractional positions and pools them. onnxc::RoiAlignGrad
// is its derivative by the image, which takes that of the result and the inputs.
#include "compiler/kernels/pooling_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/upgrade.hpp"
#include "compiler/ops/window.hpp"

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

RoiAlignShape<Dim> shape_of(const Lower& n, const Shape& x, const Shape& y) {
  return {
      .batch = x[0],
      .channels = x[1],
      .height = x[2],
      .width = x[3],
      .count = y[0],
      .out_h = y[2],
      .out_w = y[3],
      .samples = n.attr_int("sampling_ratio"),
      .scale = n.attr_float("spatial_scale"),
      .half_pixel = flag(n, "coordinate_transformation_mode", "half_pixel", "output_half_pixel"),
      .largest = flag(n, "mode", "max", "avg")};
}

void lower(Lower& n) {
  n.call("roi_align", shape_of(n, n.shape(0), n.out_shape(0))).in({0, 1, 2}).out(0);
}

void gradient(Gradient& n) {
  n.shape(0);
  NodeBuilder& b = n.builder();
  n.dx(0, b.term(b.add(get("RoiAlignGrad", "onnxc"), {n.dy(), n.x(0), n.x(1), n.x(2)}, 1,
                       n.node().attributes)
                     .front()));
}

void infer_grad(Infer& n) { n.output(0, n.input(1)); }

void lower_grad(Lower& n) {
  n.call("roi_align_grad", shape_of(n, n.shape(1), n.shape(0))).in({0, 1, 2, 3}).out(0);
}

// Linear in dY; by X it is zero wherever there is a derivative.
void gradient_of_grad(Gradient& n) {
  if (n.wants(0) && n.attr_string("mode") == "max")
    n.refuse(0, "mode \"max\" has no second derivative in onnxc");
  n.dx(0, n.emit("RoiAlign", {n.dy(), n.x(2), n.x(3)}, n.node().attributes));
  n.zero(1);
}

constexpr std::string_view kAttributes =
    "coordinate_transformation_mode:string=half_pixel mode:string=avg output_height:int=1 "
    "output_width:int=1 sampling_ratio:int=0 spatial_scale:float=1";

constexpr Op rows[] = {
    {
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
        .gradient = gradient,
    },
    {
        .name = "RoiAlignGrad",
        .domain = "onnxc",
        .versions = "1",
        .inputs = "dY:T1 X:T1 rois:T1 batch_indices:int64",
        .outputs = "dX:T1",
        .types = "T1: floats",
        .attributes = kAttributes,
        .infer = infer_grad,
        .lower = lower_grad,
        .gradient = gradient_of_grad,
    }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::roi_align
