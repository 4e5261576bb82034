// Conv: convolution over any number of spatial axes, with groups and dilation.
#include "compiler/ops/infer.hpp"
#include "compiler/ops/packing.hpp"
#include "compiler/ops/window.hpp"
#include "compiler/support/checked.hpp"
#include "templates/conv2d_nhwc.hpp"
#include "templates/depthwise_conv2d_nhwc.hpp"

namespace onnxc::ops::conv {
namespace {

void infer(Infer& n) { infer_convolution(n, n.elem(0)); }

// The packed kernel covers 2-D images, and signals as images of one row.
bool has_fast_kernel(const Node& node) {
  const Value &x = *node.inputs[0], &w = *node.inputs[1];
  return x.type.elem == ElemType::float32 && x.type.has_rank() && w.constant &&
         (x.type.rank() == 3 || x.type.rank() == 4);
}

LayoutRule layout(const Node& node) {
  const bool fast = has_fast_kernel(node);
  return {.accepts = fast, .prefers = fast};
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

void lower_channels_last(Lower& n, const Convolution& c) {
  const bool depthwise = c.group > 1 && c.in_channels.is(1);
  const Tile tile = choose_tile(n.target(), c.out_channels);
  const Tensor& weights = *n.constant(1);
  const BufferId w =
      n.constant(depthwise ? pack_depthwise(weights) : pack(weights, c, tile.panel), "w");
  Call call = n.call(depthwise ? "depthwise_conv2d_nhwc" : "conv2d_nhwc");
  if (!depthwise) add_tile(call, tile);
  call.dim("batch", c.batch);
  add_image_window(call, c.window);
  call.dim("in_c", c.in_channels * Dim(c.group)).dim("out_c", c.out_channels * Dim(c.group));
  call.dim("group", c.group).in(0).read(w).in(2).out(0);
  add_epilogue(call, n).macs(c.macs());
}

void lower(Lower& n) {
  const Convolution c = read_convolution(n);
  if (n.channels_last()) return lower_channels_last(n, c);
  Call call = n.call("conv_nd");
  call.template_arg(std::to_string(c.window.rank()));
  call.dim("batch", c.batch).dim("group", c.group);
  call.dim("in_c", c.in_channels).dim("out_c", c.out_channels);
  add_window(call, c.window);
  call.flag("channels_last", false).in(0).in(1).in(2, n.elem(0)).out(0).epilogue().macs(c.macs());
}

constexpr Op rows[] = {{
    .name = "Conv",
    .versions = "1 11 22",
    .inputs = "X:T W:T B:T?",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints pads:ints "
                  "strides:ints",
    .infer = infer,
    .lower = lower,
    .layout = layout,
    .epilogue = Epilogue::channel_is_axis_1,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::conv
