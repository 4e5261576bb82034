// Resize: interpolation of any axes, by scales or to sizes.
#include "templates/image/resize_axis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/kernels/image_calls.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/fold.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/image/resize_inputs.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/upgrade.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::resize {
namespace {

// ---- attributes -----------------------------------------------------------------------------

std::int64_t choice(const NodeView& n, const char* attribute,
                    std::initializer_list<const char*> names) {
  const std::string& value = n.attr_string(attribute);
  const auto at = std::find(names.begin(), names.end(), value);
  n.require(at != names.end(), "attribute " + quoted(attribute), "{} is no choice", quoted(value));
  return at - names.begin();
}

// The rule of version 10; newer models cannot select it.
constexpr const char* kByScale = "by_scale";

struct Options {
  std::int64_t filter, coordinates, nearest, policy;
  bool antialias, exclude_outside;
  float cubic_a, extrapolation;
};

Options read_options(const NodeView& n) {
  return {.filter = choice(n, "mode", {"nearest", "linear", "cubic"}),
          .coordinates =
              choice(n, "coordinate_transformation_mode",
                     {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                      "asymmetric", "tf_crop_and_resize", "tf_half_pixel_for_nn"}),
          .nearest = choice(n, "nearest_mode",
                            {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", kByScale}),
          .policy = choice(n, "keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"}),
          .antialias = n.attr_int("antialias") != 0,
          .exclude_outside = n.attr_int("exclude_outside") != 0,
          .cubic_a = n.attr_float("cubic_coeff_a"),
          .extrapolation = n.attr_float("extrapolation_value")};
}

std::vector<std::size_t> read_axes(const NodeView& n, std::size_t rank) {
  std::vector<std::size_t> axes;
  const auto* given = n.find_ints("axes");
  if (given) {
    for (std::int64_t a : *given) {
      axes.push_back(n.axis(a, rank, "attribute \"axes\""));
      n.require(std::count(axes.begin(), axes.end(), axes.back()) == 1, "attribute \"axes\"",
                "axis {} twice", axes.back());
    }
  } else {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), std::size_t{0});
  }
  return axes;
}

// ---- shapes ---------------------------------------------------------------------------------

// The extent that a scale leads to, where dimension arithmetic can express it.
std::optional<Dim> scaled(const NodeView& n, const Dim& in, float scale) {
  if (in.is_const()) {
    const float v = std::floor(static_cast<float>(in.value()) * scale);
    n.require(v < 1e15f, scales_field(n), "{} is too large", scale);
    return Dim(static_cast<std::int64_t>(v));
  }
  if (scale == 1.0f) return in;
  if (std::floor(scale) == scale) return in * Dim(static_cast<std::int64_t>(scale));
  // Other fractions are inexact in float, and the result depends on how the product rounds.
  int exponent = 0;
  if (std::frexp(scale, &exponent) != 0.5f || exponent < -30) return std::nullopt;
  return Dim::floor_div(in, std::int64_t{1} << (1 - exponent));
}

struct FixedScaleShape {
  std::int64_t count;
  std::vector<std::int64_t> in;
  std::int64_t policy;
};

// The common scale that keeps the aspect ratio; nullopt when an extent is dynamic.
std::optional<ResizeScale> common_scale(const Shape& x, const std::vector<std::size_t>& axes,
                                        const std::vector<std::int64_t>& sizes,
                                        std::int64_t policy) {
  FixedScaleShape s{static_cast<std::int64_t>(axes.size()), {}, policy};
  for (std::size_t axis : axes) {
    if (!x[axis].is_const() || x[axis].is(0)) return std::nullopt;
    s.in.push_back(x[axis].value());
  }
  if (axes.empty()) return std::nullopt;
  return resize_common_scale(s, sizes.data());
}

void infer_by_sizes(Infer& n, const Options& o, const std::vector<std::size_t>& axes, Shape& out) {
  const auto sizes = n.extents(3);
  if (!sizes) {
    for (std::size_t a : axes) out[a] = n.unknown_extent();
    return;
  }
  n.require(sizes->size() == axes.size(), input_field(3, "sizes"), "has {} entries, needs {}",
            sizes->size(), axes.size());
  for (const Dim& d : *sizes) n.at_least(d, 1, input_field(3, "sizes"));
  if (o.policy == 0) {
    for (std::size_t i = 0; i < axes.size(); ++i) out[axes[i]] = (*sizes)[i];
    return;
  }
  const auto fixed = n.ints(3);
  const auto common = fixed ? common_scale(out, axes, *fixed, o.policy) : std::nullopt;
  for (std::size_t a : axes)
    out[a] = common ? Dim(resize_rounded(*common, out[a].value())) : n.unknown_extent();
}

Dim scaled_or_unknown(Infer& n, const Dim& in, float scale) {
  if (const auto known = scaled(n, in, scale)) return *known;
  return n.unknown_extent(in * Dim(static_cast<std::int64_t>(std::ceil(scale))));
}

void infer(Infer& n) {
  const Options o = read_options(n);
  n.require(o.nearest != ResizeMode::kByScale || n.node().version < 11,
            "attribute \"nearest_mode\"", "{} is no choice", quoted(kByScale));
  n.require(o.filter == ResizeMode::kNearest || n.elem(0) != ElemType::string, "attribute \"mode\"",
            "strings have no {} between them", quoted(n.attr_string("mode")));
  require_one_list(n);
  if (!n.has_rank(0)) return n.output(0, n.elem(0), std::nullopt);
  const auto axes = read_axes(n, n.rank(0));
  // Exporters write arbitrary values for an unused region.
  if (o.coordinates == ResizeMode::kTfCropAndResize) require_count(n, 1, "roi", 2 * axes.size());
  require_count(n, 2, "scales", axes.size());
  require_count(n, 3, "sizes", axes.size());
  n.require(o.coordinates != ResizeMode::kTfCropAndResize || given(n, 1), input_field(1, "roi"),
            "required by tf_crop_and_resize");
  Shape out = n.shape(0);
  if (given(n, 3)) {
    infer_by_sizes(n, o, axes, out);
  } else {
    const auto scales = constant_scales(n);
    for (std::size_t i = 0; i < axes.size(); ++i)
      out[axes[i]] =
          scales.empty() ? n.unknown_extent() : scaled_or_unknown(n, out[axes[i]], scales[i]);
  }
  for (std::size_t a : axes)
    n.require(!n.shape(0)[a].is(0) || !out[a].is_const() || out[a].is(0), input_field(0, "X"),
              "axis {} is empty", a);
  n.output(0, n.elem(0), out);
}

// ---- kernels --------------------------------------------------------------------------------

// One axis that is resized.
struct Axis {
  std::size_t logical = 0;
  std::size_t index = 0;  // index in the lists of scales and sizes
  Dim in = 0, out = 0, taps = 1;
  ResizeScale scale{0, 1};  // 0: known only at run time
  bool has_scale() const { return scale.up > 0; }
  bool is_fixed() const { return in.is_const() && out.is_const() && has_scale(); }
};

struct TapShape {
  std::int64_t filter;
  bool antialias;
};

Dim tap_count(const Options& o, const Axis& a) {
  if (o.filter == ResizeMode::kNearest) return 1;
  const std::int64_t support = o.filter == ResizeMode::kCubic ? 2 : 1;
  if (!o.antialias) return 2 * support;
  if (a.has_scale())
    return static_cast<std::int64_t>(resize_taps(TapShape{o.filter, o.antialias}, a.scale).count);
  // A scale that rounds to `out` is at least (out - 0.5) / in; two more taps for the rounding.
  const Dim least = Dim::max(a.out * 2 - 1, 1);
  return Dim::max(Dim::ceil_div(a.in * (2 * support), least), support) * 2 + 2;
}

// The approximate scale, to order shrinking axes before growing ones.
float growth(const Axis& a) {
  if (a.in.is_const() && a.out.is_const())
    return static_cast<float>(a.out.value()) / static_cast<float>(a.in.value());
  return a.has_scale() ? static_cast<float>(a.scale.up) / static_cast<float>(a.scale.down) : 1.0f;
}

std::vector<Axis> changing_axes(const NodeView& n, const Options& o, const Shape& x,
                                const Shape& out) {
  const auto axes = read_axes(n, x.size());
  const auto scales = given(n, 2) ? constant_scales(n) : std::vector<float>{};
  const bool by_sizes = given(n, 3);
  const Tensor* sizes = by_sizes ? n.constant(3) : nullptr;
  const bool keeps = sizes && o.policy != 0;
  const auto common = keeps ? common_scale(x, axes, sizes->to_int64s(), o.policy) : std::nullopt;
  std::vector<Axis> list;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Axis a{.logical = axes[i], .index = i, .in = x[axes[i]], .out = out[axes[i]]};
    if (keeps)
      a.scale = common.value_or(a.scale);
    else if (sizes && a.in.is_const() && !a.in.is(0))
      a.scale = {a.out.value(), a.in.value()};
    else if (by_sizes && o.policy == 0 && a.in == a.out && n.extents(3))
      a.scale = {1, 1};
    else if (!scales.empty())
      a.scale = resize_scale_of(scales[i]);
    a.taps = tap_count(o, a);
    if (a.scale.up == a.scale.down && a.in == a.out &&
        o.coordinates != ResizeMode::kTfCropAndResize)
      continue;
    list.push_back(a);
  }
  // Shrinking axes come first, so that intermediate results are small.
  std::stable_sort(list.begin(), list.end(),
                   [](const Axis& a, const Axis& b) { return growth(a) < growth(b); });
  return list;
}

ResizeTableShape<Dim> table_shape(const Options& o, const Axis& a, std::size_t axis_count,
                                  bool by_scales) {
  const auto at = static_cast<Index>(a.index);
  return {a.in,
          a.out,
          a.taps,
          o.filter,
          o.coordinates,
          o.nearest,
          o.antialias,
          o.exclude_outside,
          by_scales,
          o.cubic_a,
          a.scale.up,
          a.scale.down,
          at,
          at + static_cast<Index>(axis_count),
          0,
          1};
}

struct Table {
  BufferId taps = -1, weights = -1;
};

bool table_is_constant(const NodeView& n, const Options& o, const Axis& a) {
  constexpr std::int64_t kMostEntries = 1 << 20;  // more are no part of a program
  if (!a.is_fixed() || a.out.value() > kMostEntries / a.taps.value()) return false;
  if (o.coordinates != ResizeMode::kTfCropAndResize) return true;
  const Tensor* roi = n.constant(1);
  return roi && roi->elem() != ElemType::float16;
}

Table constant_table(Lower& n, const ResizeTableShape<Dim>& shape) {
  ResizeTableShape<Index> s = numbers(shape);
  if (const Tensor* roi = n.constant(1); roi && roi->size() > s.roi_end) {
    s.roi_from = static_cast<float>(roi->number(s.axis));
    s.roi_to = static_cast<float>(roi->number(s.roi_end));
  }
  const std::vector<std::int64_t> dims{s.out, s.max_taps};
  TensorBuilder taps(ElemType::int64, dims), weights(ElemType::float32, dims);
  const Status status =
      resize_table(s, static_cast<const float*>(nullptr), static_cast<const float*>(nullptr),
                   taps.data<std::int64_t>(), weights.data<float>());
  n.require(status == Status::ok, "inputs", "scales, sizes and roi give no result");
  return {n.constant(taps.take(), "taps"), n.constant(weights.take(), "weights")};
}

Table computed_table(Lower& n, const ResizeTableShape<Dim>& s, const Axis& a, BufferId scales) {
  const Dim count = a.out * a.taps;
  const Table t{n.scratch(ElemType::int64, count, "taps"),
                n.scratch(ElemType::float32, count, "weights")};
  Call call = n.call("resize_table", s);
  if (scales >= 0)
    call.read(scales);
  else
    call.null(ElemType::float32);
  if (s.coordinates == ResizeMode::kTfCropAndResize)
    call.in(1);
  else
    call.null(ElemType::float32);
  call.write(t.taps).write(t.weights);
  return t;
}

// Whether the scales are known only at run time: from an input, or from sizes and extents.
bool needs_scales(const std::vector<Axis>& axes) {
  return std::any_of(axes.begin(), axes.end(), [](const Axis& a) { return !a.has_scale(); });
}

BufferId run_time_scales(Lower& n, const Options& o, const std::vector<Axis>& changing,
                         const Shape& from, const Shape& to) {
  if (given(n, 2)) return n.constant(2) ? -1 : n.in(2);
  if (!needs_scales(changing)) return -1;
  const auto axes = read_axes(n, from.size());
  Shape in, out;
  for (std::size_t a : axes) {
    in.push_back(from[a]);
    out.push_back(to[a]);
  }
  const auto count = static_cast<std::int64_t>(axes.size());
  const BufferId scales = n.scratch(ElemType::int64, 2 * count, "scales");
  n.call("resize_scales", ResizeScalesShape<Dim>{count, in, out, o.policy}).in(3).write(scales);
  return scales;
}

// Extents that follow from the scales or sizes only at run time.
void lower_extents(Lower& n, const Options& o) {
  const auto axes = read_axes(n, n.shape(0).size());
  const auto scales = given(n, 2) ? constant_scales(n) : std::vector<float>{};
  bool known = given(n, 2) ? !scales.empty() : n.extents(3).has_value();
  Shape in, out;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    in.push_back(n.shape(0)[axes[i]]);
    out.push_back(n.out_shape(0)[axes[i]]);
    if (!scales.empty()) known = known && scaled(n, in[i], scales[i]).has_value();
    if (given(n, 3) && o.policy != 0) known = known && n.constant(3) && in[i].is_const();
  }
  if (known) return;
  const auto count = static_cast<std::int64_t>(axes.size());
  if (given(n, 2))
    n.call("resize_scaled_extents", ResizeScaledExtentsShape<Dim>{count, in}).in(2).extents(out);
  else
    n.call("resize_sized_extents", ResizeSizedExtentsShape<Dim>{count, in, o.policy})
        .in(3)
        .extents(out);
}

ElemType sum_elem(ElemType elem) {
  return elem == ElemType::float64 || is_complex(elem) ? elem : ElemType::float32;
}

void lower(Lower& n) {
  const Options o = read_options(n);
  const auto axes = changing_axes(n, o, n.shape(0), n.out_shape(0));
  lower_extents(n, o);
  if (axes.empty()) return n.alias(0, 0);
  const bool by_scales = given(n, 2), nearest = o.filter == ResizeMode::kNearest;
  const std::size_t axis_count = read_axes(n, n.shape(0).size()).size();
  const BufferId scales = run_time_scales(n, o, axes, n.shape(0), n.out_shape(0));
  Shape dims = n.stored(0);
  BufferId from = n.in(0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Axis& a = axes[i];
    const ResizeTableShape<Dim> shape = table_shape(o, a, axis_count, by_scales);
    const Table table = table_is_constant(n, o, a)
                            ? constant_table(n, shape)
                            : computed_table(n, shape, a, a.has_scale() ? BufferId{-1} : scales);
    const std::size_t at = n.stored_axis(a.logical, dims.size());
    const Dim outer = product(dims, 0, at), inner = product(dims, at + 1, dims.size());
    dims[at] = a.out;
    const BufferId to = i + 1 == axes.size() ? n.out(0)
                                             : n.scratch(nearest ? n.elem(0) : sum_elem(n.elem(0)),
                                                         product(dims), "between");
    Call call = n.call(nearest ? KernelName("resize_axis_nearest") : KernelName("resize_axis"),
                       ResizeAxisShape<Dim>{outer, a.in, a.out, inner, a.taps, o.extrapolation});
    call.read(from).read(table.taps);
    if (!nearest) call.read(table.weights);
    call.write(to);
    from = to;
  }
}

// ---- derivative -----------------------------------------------------------------------------

void gradient(Gradient& n) {
  n.shape(0);
  n.require_known(n.y().type().has_rank(), "output 0",
                  "has no known rank, which its gradient needs");
  const auto operand = [&](std::size_t i) { return n.has_input(i) ? n.x(i).value : nullptr; };
  NodeBuilder& b = n.builder();
  const auto dx = b.add(get("ResizeGrad", "onnxc"),
                        {n.dy(), operand(1), operand(2), operand(3), n.shape_of(n.x())}, 1,
                        n.node().attributes);
  n.dx(0, b.term(dx.front()));
}

void infer_grad(Infer& n) {
  const auto x = n.extents(4);
  n.output(0, n.elem(0), x ? std::optional<Shape>(*x) : std::nullopt);
}

// The axes in reverse order.
void lower_grad(Lower& n) {
  const Options o = read_options(n);
  const Shape &x = n.out_shape(0), &y = n.shape(0);
  auto axes = changing_axes(n, o, x, y);
  if (axes.empty()) return n.alias(0, 0);
  const BufferId scales = run_time_scales(n, o, axes, x, y);
  std::reverse(axes.begin(), axes.end());
  Shape dims = y;
  BufferId from = n.in(0);
  for (const Axis& a : axes) {
    const ResizeTableShape<Dim> shape =
        table_shape(o, a, read_axes(n, x.size()).size(), given(n, 2));
    const Table table = table_is_constant(n, o, a)
                            ? constant_table(n, shape)
                            : computed_table(n, shape, a, a.has_scale() ? BufferId{-1} : scales);
    const std::size_t at = a.logical;
    const Dim outer = product(dims, 0, at), inner = product(dims, at + 1, dims.size());
    dims[at] = a.in;
    const BufferId to =
        &a == &axes.back() ? n.out(0) : n.scratch(n.elem(0), product(dims), "between");
    Call call =
        n.call("resize_axis_grad", ResizeAxisShape<Dim>{outer, a.in, a.out, inner, a.taps, 0.0f});
    call.divisible().read(from).read(table.taps);
    if (o.filter == ResizeMode::kNearest)
      call.null(ElemType::float32);
    else
      call.read(table.weights);
    call.write(to);
    from = to;
  }
}

// Linear, but for the value outside of a cropped image.
void gradient_of_grad(Gradient& n) {
  Attributes attributes = n.node().attributes;
  attributes["extrapolation_value"] = 0.0f;
  const auto operand = [&](std::size_t i) { return n.has_input(i) ? n.x(i).value : nullptr; };
  n.dx(0, n.emit("Resize", {n.dy(), operand(1), operand(2), operand(3)}, std::move(attributes)));
}

// 8-bit types use it only for nearest neighbours, where elements are copied.
LayoutRule layout(const Node& node) {
  const ElemType elem = node.inputs[0]->type.elem;
  const bool bytes = elem == ElemType::int8 || elem == ElemType::uint8;
  return {.accepts = elem == ElemType::float32 ||
                     (bytes && NodeView(node).attr_string("mode") == "nearest")};
}

// ---- old versions ---------------------------------------------------------------------------

void set_old_coordinates(Upgrade& n) {
  n.set("coordinate_transformation_mode", std::string("asymmetric"));
  n.set("nearest_mode", std::string(kByScale));
}

void upgrade(Upgrade& n) {
  if (n.version() >= 11) return;
  n.require(n.has_input(1), "input 1 (scales)", "is required");
  Value* scales = n.mutable_node().inputs[1];
  n.set_input(1, nullptr);
  n.set_input(2, scales);
  set_old_coordinates(n);
}

Value* constant_floats(Upgrade& n, const std::vector<float>& values) {
  return n.constant(
      Tensor::of<float>(ElemType::float32, {static_cast<std::int64_t>(values.size())}, values));
}

// Upsample became Resize; version 1 names the two scales of an image.
void upgrade_upsample(Upgrade& n) {
  Value* scales = nullptr;
  if (n.version() == 1)
    scales = constant_floats(n, {1, 1, n.attr_float("height_scale"), n.attr_float("width_scale")});
  else if (n.version() == 7)
    scales = constant_floats(n, n.attr_floats("scales"));
  else if (n.has_input(1))
    scales = n.mutable_node().inputs[1];
  n.require(scales, "input 1 (scales)", "is required");
  if (n.attr_string("mode") == "bilinear")
    n.set("mode", std::string("linear"));
  else
    n.set("mode", std::string(n.attr_string("mode")));
  for (const char* old : {"scales", "height_scale", "width_scale"}) n.remove(old);
  n.to("Resize");
  n.set_input(1, nullptr);
  n.set_input(2, scales);
  set_old_coordinates(n);
}

// Positions outside of a cropped image get the extrapolation value.
bool keeps_elements(const Node& node) {
  const NodeView n(node);
  return n.attr_string("mode") == "nearest" &&
         n.attr_string("coordinate_transformation_mode") != "tf_crop_and_resize";
}

constexpr std::string_view kAttributes =
    "antialias:int=0 axes:ints coordinate_transformation_mode:string=half_pixel "
    "cubic_coeff_a:float=-0.75 exclude_outside:int=0 extrapolation_value:float=0 "
    "keep_aspect_ratio_policy:string=stretch mode:string=nearest "
    "nearest_mode:string=round_prefer_floor";

// How many results each position of an axis becomes, one after the other; 0 for anything else.
std::int64_t copies(const Axes& n, std::size_t axis) {
  const Dim &in = n.shape(0)[axis], &out = n.out_shape(0)[axis];
  // Scales and extents need not agree: 1.2 makes 4 of 4, and no copies.
  if (given(n, 2)) {
    const auto scales = constant_scales(n);
    const bool fits = !scales.empty() && scales[axis] == std::floor(scales[axis]) &&
                      in * Dim(static_cast<std::int64_t>(scales[axis])) == out;
    if (!fits) return 0;
  }
  if (given(n, 3) && !in.is_const()) return 0;  // the sizes of the parts are not known
  if (in == out) return 1;
  if (n.attr_string("mode") != "nearest" || !in.is_const() || !out.is_const() || in.is(0)) return 0;
  const std::string& where = n.attr_string("coordinate_transformation_mode");
  const std::string& rounds = n.attr_string("nearest_mode");
  const bool floors = where == "asymmetric" && rounds == "floor";
  const bool centres =
      (where == "half_pixel" || where == "half_pixel_symmetric" || where == "pytorch_half_pixel") &&
      (rounds == "round_prefer_floor" || rounds == "round_prefer_ceil");
  const std::int64_t times = out.value() / in.value();
  return (floors || centres) && times * in.value() == out.value() ? times : 0;
}

// Axes that keep their extent, and those whose elements are repeated.
void axes(Axes& n) {
  if (n.has_attr("axes") || n.attr_string("keep_aspect_ratio_policy") != "stretch") return;
  if (n.attr_string("coordinate_transformation_mode") == "tf_crop_and_resize") return;
  for (std::size_t axis = 0; axis < n.rank(0); ++axis) {
    const std::int64_t times = copies(n, axis);
    if (times == 0) continue;
    const int over = n.loop(n.shape(0)[axis]);
    n.input(0, axis, {over});
    n.output(0, axis, {over});
    if (times > 1) n.output(0, axis, {over, n.loop(times, Axes::Kind::whole)});
  }
  n.adapt = [](Axes::Part& p) {
    if (given(p.whole, 3)) p.set_extents(3);
  };
}

constexpr Op rows[] = {
    {
        .name = "Resize",
        .versions = "10 11 13 18 19",
        .inputs = "X:T1 roi:T2? scales:float? sizes:int64?",
        .outputs = "Y:T1",
        .types = "T1: all; T2: classic_floats",
        .attributes = "antialias:int=0@18- axes:ints@18- "
                      "coordinate_transformation_mode:string=half_pixel@11- "
                      "cubic_coeff_a:float=-0.75@11- exclude_outside:int=0@11- "
                      "extrapolation_value:float=0@11- keep_aspect_ratio_policy:string=stretch@18- "
                      "mode:string=nearest nearest_mode:string=round_prefer_floor@11-",
        .settings = "roi scales",
        .limits = "both scales and sizes of open lengths",
        .upgrade = upgrade,
        .infer = infer,
        .axes = axes,
        .lower = lower,
        .layout = layout,
        .moves_elements = keeps_elements,
        .gradient = gradient,
    },
    {
        // The derivative of Resize: inputs dY, roi, scales and sizes of the forward node, and the
        // shape of X.
        .name = "ResizeGrad",
        .domain = "onnxc",
        .versions = "1",
        .inputs = "dY:T1 roi:T2? scales:float? sizes:int64? shape:int64",
        .outputs = "dX:T1",
        .types = "T1: floats; T2: classic_floats",
        .attributes = kAttributes,
        .infer = infer_grad,
        .lower = lower_grad,
        .gradient = gradient_of_grad,
    },
    {
        .name = "Upsample",
        .versions = "1 7 9 10",
        .deprecated = 10,
        .inputs = "X:T scales:float?",
        .outputs = "Y:T",
        .types = "T: all",
        .attributes = "mode:string=nearest scales:floats!@7-8 height_scale:float!@1-1 "
                      "width_scale:float!@1-1",
        .settings = "scales",
        .upgrade = upgrade_upsample,
    },
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::resize
