// Conv: convolution over any number of spatial axes, with groups and dilation.
#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/ops/convolution/conv_gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/macs.hpp"
#include "compiler/ops/packing.hpp"
#include "compiler/ops/window.hpp"
#include "compiler/ops/window_axes.hpp"
#include "compiler/support/checked.hpp"
#include "templates/convolution/conv2d_nhwc.hpp"
#include "templates/convolution/conv2d_winograd_nhwc.hpp"
#include "templates/convolution/depthwise_conv2d_nhwc.hpp"

namespace onnxc::ops::conv {
namespace {

void infer(Infer& n) { infer_convolution(n, n.elem(0)); }

// The packed kernel computes 2-D images, and 1-D signals as images of one row.
bool has_fast_kernel(const Node& node) {
  const Value &x = *node.inputs[0], &w = *node.inputs[1];
  return x.type.elem == ElemType::float32 && x.type.has_rank() && w.type.is_static() &&
         (x.type.rank() == 3 || x.type.rank() == 4);
}

bool is_depthwise(const Node& node) {
  return NodeView(node).attr_int("group") > 1 && (*node.inputs[1]->type.shape)[1].is(1);
}

LayoutRule layout(const Node& node) {
  const bool fast = has_fast_kernel(node);
  return {.accepts = fast,
          .prefers = fast,
          .parts_in = fast && !is_depthwise(node),
          .part_out = fast && !is_depthwise(node)};
}

Tensor pack(const Tensor& w, const Convolution& c, int panel) {
  Tensor packed;
  const std::int64_t out_c = w.dims()[0], in_c = checked_mul(w.dims()[1], c.group);
  const std::int64_t k_w = w.dims().back(), k_h = w.dims().size() == 4 ? w.dims()[2] : 1;
  with_panel(panel, [&](auto width) {
    constexpr int NR = decltype(width)::value;
    checked_product(
        std::vector<std::int64_t>{checked_mul(c.group, NR) + out_c, w.dims()[1], k_h, k_w});
    TensorBuilder out(ElemType::float32, {packed_conv2d_size<NR>(out_c, in_c, k_h, k_w, c.group)});
    pack_conv2d<NR>(w.as<float>().data(), out_c, in_c, k_h, k_w, c.group, out.data<float>());
    packed = out.take();
  });
  return packed;
}

Tensor pack_depthwise(const Tensor& w) {
  const std::int64_t k_w = w.dims().back(), k_h = w.dims().size() == 4 ? w.dims()[2] : 1;
  TensorBuilder out(ElemType::float32, {w.size()});
  pack_depthwise_conv2d(w.as<float>().data(), w.dims()[0], k_h, k_w, out.data<float>());
  return out.take();
}

std::int64_t packed_size(const Shape& w, const Convolution& c, int panel) {
  std::int64_t size = 0;
  const std::int64_t k_w = w.back().value(), k_h = w.size() == 4 ? w[2].value() : 1;
  with_panel(panel, [&](auto width) {
    constexpr int NR = decltype(width)::value;
    const std::int64_t out_c = w[0].value(), in_c = checked_mul(w[1].value(), c.group);
    checked_product(
        std::vector<std::int64_t>{checked_mul(c.group, NR) + out_c, w[1].value(), k_h, k_w});
    size = packed_conv2d_size<NR>(out_c, in_c, k_h, k_w, c.group);
  });
  return size;
}

// Weights that are not constant are packed at run time.
BufferId pack_in_run(Lower& n, const Convolution& c, bool depthwise, int panel) {
  const Shape& w = n.shape(1);
  const Dim size = depthwise ? product(w) : Dim(packed_size(w, c, panel));
  const BufferId packed = n.scratch(ElemType::float32, Dim::max(size, 1), "packed");
  const Dim k_h = w.size() == 4 ? w[2] : Dim(1), k_w = w.back();
  Call call = depthwise
                  ? n.call("pack_depthwise_weights", PackDepthwiseWeightsShape<Dim>{w[0], k_h, k_w})
                  : n.call("pack_weights",
                           PackWeightsShape<Dim>{w[1] * Dim(c.group), w[0], k_h, k_w, c.group})
                        .template_arg(std::to_string(panel));
  call.in(1).write(packed);
  return packed;
}

BufferId packed_weights(Lower& n, const Convolution& c, bool depthwise, int panel) {
  const Tensor* w = n.constant(1);
  if (!w) return pack_in_run(n, c, depthwise, panel);
  return n.constant(depthwise ? pack_depthwise(*w) : pack(*w, c, panel), "w");
}

// F(4x4, 3x3) does 36 multiplications for 16 outputs instead of 144, but transforms its inputs and
// outputs, and reads four times the weights. Costs in multiplications of one lane. Images of
// open size count as those of whole tiles, with small weights only.
bool winograd_pays(const Lower& n, const Convolution& c) {
  constexpr double kSmallWeights = 1 << 20;
  const Target& target = n.target();
  const Window& w = c.window;
  if (n.options().strict_fp || n.options().optimize_size) return false;
  if (target.vector_floats < 8 || !c.is_plain_3x3() || !c.in_channels.is_const()) return false;
  const auto in_c = static_cast<double>(c.in_channels.value());
  const auto out_c = static_cast<double>(c.out_channels.value());
  if (in_c < target.vector_floats || out_c < target.vector_floats) return false;
  const double weights = 36 * in_c * out_c, transforms = 240 * in_c + 160 * out_c;
  const bool reads_much = weights * 4 > kSmallWeights;
  if (!c.has_fixed_images())
    return !reads_much && 1.1 * (weights + transforms) < 16 * 9 * in_c * out_c;
  const auto height = w.out[0].value(), width = w.out[1].value();
  const auto images = static_cast<double>(c.batch.constant().value_or(1));
  const auto tiles = images * static_cast<double>(((height + 3) / 4) * ((width + 3) / 4));
  const double fast = tiles * (weights + transforms) + (reads_much ? weights * 4 * 3 : 0);
  return 1.1 * fast < images * static_cast<double>(height * width) * 9 * in_c * out_c;
}

Tensor pack_winograd(const Tensor& w, int panel) {
  Tensor packed;
  with_panel(panel, [&](auto width) {
    constexpr int NR = decltype(width)::value;
    const std::int64_t out_c = w.dims()[0], in_c = w.dims()[1];
    checked_product(std::vector<std::int64_t>{36, checked_add(out_c, NR), in_c});
    TensorBuilder out(ElemType::float32, {packed_winograd_size<NR>(out_c, in_c)});
    onnxc::pack_winograd<NR>(w.as<float>().data(), out_c, in_c, out.data<float>());
    packed = out.take();
  });
  return packed;
}

// Whether there is a single output, whose whole window is inside the image.
bool has_one_pixel(const Lower& n, const Convolution& c) {
  if (n.options().strict_fp || n.target().vector_floats == 1 || c.group != 1) return false;
  if (!c.batch.is(1) || !c.in_channels.is_const() || !c.has_fixed_images()) return false;
  for (std::size_t i = 0; i < c.window.rank(); ++i) {
    const Window& w = c.window;
    const std::int64_t reach = (w.kernel[i].value() - 1) * w.dilation[i] + 1;
    if (!w.out[i].is(1) || !w.pad_begin[i].is(0) || reach > w.in[i].value()) return false;
  }
  return true;
}

// The shape struct shared by all kernels for channels-last images.
ConvShape<Dim> image_shape(const Lower& n, const Convolution& c) {
  ConvShape<Dim> s;
  static_cast<ImageWindow<Dim>&>(s) = image_window(c.window);
  s.batch = c.batch;
  s.in_c = c.in_channels * Dim(c.group);
  s.out_c = c.out_channels * Dim(c.group);
  s.group = c.group;
  s.ldx = n.pitch(0);
  s.ldy = n.out_pitch(0);
  // Several fused operands are all dense, one may be a view: see concat_in_place.
  s.ld_epilogue = s.out_c;
  for (std::size_t i = n.own_input_count(); i < n.input_count(); ++i)
    if (n.input_value(i).view_of) s.ld_epilogue = n.pitch(i);
  return s;
}

// Floats of scratch. A dynamic batch is computed image by image.
std::int64_t winograd_scratch(const Convolution& c, ConvShape<Dim> shape) {
  if (!c.has_fixed_images())
    return most_winograd_scratch(c.in_channels.value(), c.out_channels.value());
  if (!c.batch.is_const()) shape.batch = 1;
  return conv2d_winograd_scratch(numbers(shape));
}

void lower_winograd(Lower& n, const Convolution& c) {
  const Tile tile = choose_tile(n.target(), c.out_channels);
  const BufferId w = n.constant(pack_winograd(*n.constant(1), tile.panel), "w");
  const ConvShape<Dim> shape = image_shape(n, c);
  const BufferId scratch = n.thread_scratch(ElemType::float32, winograd_scratch(c, shape));
  const WinogradOperands<Arg> operands = {n.input_arg(0),  read_arg(w),        n.input_arg(2),
                                          n.output_arg(0), write_arg(scratch), n.fused_body()};
  const TileArguments tiles = {tile.rows, tile.panel};
  Call call = c.batch.is_const() ? n.call(Conv2dWinogradNhwc<Dim, Arg>{tiles, shape, operands})
                                 : n.call(Conv2dWinogradEach<Dim, Arg>{tiles, shape, operands});
  call.macs(n.macs());
}

// All pixels where each output reads the one at its place, else those of one line.
LeftRows left_rows(const Lower& n, const Convolution& c) {
  bool pointwise = true;
  Dim pixels = c.batch;
  for (std::size_t i = 0; i < c.window.rank(); ++i) {
    pointwise = pointwise && c.window.kernel[i].is(1) && c.window.stride[i] == 1;
    pixels = pixels * c.window.out[i];
  }
  return {pointwise ? pixels : c.window.out.back(), n.pitch(0) * Dim(c.window.stride.back())};
}

Call call_channels_last(Lower& n, const Convolution& c) {
  const bool depthwise = is_depthwise(n.node());
  const Tile tile = choose_tile(n.target(), c.out_channels, left_rows(n, c));
  const BufferId w = packed_weights(n, c, depthwise, tile.panel);
  const ConvShape<Dim> shape = image_shape(n, c);
  const ConvOperands<Arg> operands = {n.input_arg(0), read_arg(w), n.input_arg(2), n.output_arg(0),
                                      n.fused_body()};
  const TileArguments tiles = {tile.rows, tile.panel};
  if (depthwise) return n.call(DepthwiseConv2dNhwc<Dim, Arg>{shape, operands});
  if (const auto shuffle = n.find_int("onnxc.shuffle"))
    return n.call(ShuffledConv2dNhwc<Dim, Arg>{tiles, {shape, *shuffle}, operands});
  if (has_one_pixel(n, c)) return n.call(Conv2dOnePixel<Dim, Arg>{{tile.panel}, shape, operands});
  return n.call(Conv2dNhwc<Dim, Arg>{tiles, shape, operands});
}

void lower_channels_last(Lower& n, const Convolution& c) {
  if (n.constant(1) && winograd_pays(n, c)) return lower_winograd(n, c);
  call_channels_last(n, c).macs(n.macs());
}

void lower(Lower& n) {
  const Convolution c = read_convolution(n);
  if (n.channels_last()) return lower_channels_last(n, c);
  Call call = n.call("conv_nd", ConvNdShape<Dim>{c.batch, c.group, c.in_channels, c.out_channels,
                                                 nd_window(c.window), false});
  call.template_arg(std::to_string(c.window.rank()));
  call.in({0, 1}).in(2, n.elem(0)).out(0).epilogue().macs(n.macs());
}

void gradient(Gradient& n) {
  n.shape(0);
  n.shape(1);
  const ConvGeometry g = geometry_of(n, read_convolution(n).window);
  if (n.wants(0)) n.dx(0, conv_by_data(g, n.dy(), n.x(1), n.x(0)));
  if (n.wants(1)) n.dx(1, conv_by_weights(g, n.x(0), n.dy()));
  if (n.wants(2)) n.dx(2, sum_but_channels(n.dy()));
}

void axes(Axes& n) { axes_convolution(n, {.sums = true}); }

constexpr Op rows[] = {{
    .name = "Conv",
    .versions = "1 11 22",
    .inputs = "X:T W:T B:T?",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints pads:ints "
                  "strides:ints",
    .infer = infer,
    .axes = axes,
    .lower = lower,
    .macs = convolution_macs<1>,
    .layout = layout,
    .epilogue = Epilogue::channel_is_axis_1,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::conv
