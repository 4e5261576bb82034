// MaxPool: the largest element of every window, and optionally its index. onnxc::MaxPoolGrad is its
// derivative, which takes that of the result and the data: looking for the largest elements once
// more is cheaper than keeping their indices. Where memory counts, the pass keep_pool_argmax makes
// onnxc::MaxPoolArgmax and onnxc::MaxPoolArgmaxGrad of them, which keep the largest tap as a byte.
#include <algorithm>

#include "compiler/kernels/pooling_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/ops/pooling/pool.hpp"
#include "compiler/ops/window_axes.hpp"

namespace onnxc::ops::max_pool {
namespace {

void infer(Infer& n) {
  const std::int64_t order = n.attr_int("storage_order");
  n.require(order == 0 || order == 1, "attribute \"storage_order\"", "{} is neither 0 nor 1",
            order);
  infer_pool(n);
  if (!n.has_rank(0)) return n.output(1, ElemType::int64, std::nullopt);
  n.output(1, ElemType::int64, pool_out_shape(n, n.shape(0)));
}

// int8 and uint8 images, which have a kernel for channels-last data.
bool is_int8_image(const Node& node) {
  const Type& x = node.inputs[0]->type;
  const bool is_int8 = x.elem == ElemType::int8 || x.elem == ElemType::uint8;
  const bool indices = node.outputs.size() > 1 && node.outputs[1];
  return is_int8 && !indices && x.has_rank() && (x.rank() == 3 || x.rank() == 4);
}

// A window of padding alone gives the least number, which is no element. It needs pads as large as
// the kernel, or dilations: then the elements may lie between its taps.
bool has_no_empty_window(const Node& node) {
  const NodeView n(node);
  const auto all = [](const std::vector<std::int64_t>* list, auto holds) {
    return !list || std::all_of(list->begin(), list->end(), holds);
  };
  const auto* const pads = n.find_ints("pads");
  const auto& kernel = n.attr_ints("kernel_shape");
  const std::int64_t least = *std::min_element(kernel.begin(), kernel.end());
  if (!all(pads, [&](std::int64_t pad) { return pad < least; })) return false;
  if (all(n.find_ints("dilations"), [](std::int64_t d) { return d == 1; })) return true;
  const std::string& auto_pad = n.attr_string("auto_pad");
  const bool padded = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER" ||
                      !all(pads, [](std::int64_t pad) { return pad == 0; });
  return !padded && n.find_int("ceil_mode").value_or(0) == 0;
}

LayoutRule layout(const Node& node) {
  if (is_int8_image(node)) return {.accepts = true};
  return prefer_channels_last(node);
}

void lower_int8(Lower& n, const Window& window) {
  n.call(MaxPool2dInt8Nhwc<Dim, Arg>{{image_window(window), n.shape(0)[0], n.shape(0)[1]},
                                     {n.input_arg(0), n.output_arg(0)}});
}

void lower(Lower& n) {
  const Window window = read_pool_window(n, n.shape(0));
  if (n.channels_last() && is_int8_image(n.node())) return lower_int8(n, window);
  if (has_image_kernel(n)) {
    n.call(MaxPool2dNhwc<Dim, Arg>{image_pool(n, window),
                                   {n.input_arg(0), n.output_arg(0), n.fused_body()}});
    return;
  }
  const bool column_order = n.attr_int("storage_order") != 0;
  n.call("max_pool_nd", MaxPoolNdShape<Dim>{nd_pool(n, window), column_order})
      .template_arg(std::to_string(window.rank()))
      .in(0)
      .out({0, 1})
      .epilogue();
}

void gradient(Gradient& n) {
  n.shape(0);
  const Op& back = get("MaxPoolGrad", "onnxc");
  Attributes attributes = n.node().attributes;
  attributes.erase("storage_order");
  NodeBuilder& b = n.builder();
  n.dx(0, b.term(b.add(back, {n.dy(), n.x()}, 1, std::move(attributes)).front()));
}

void infer_grad(Infer& n) { n.output(0, n.input(1)); }

LayoutRule layout_grad(const Node& node) {
  return {.accepts = prefer_channels_last(node).prefers, .all_inputs = true};
}

void lower_grad(Lower& n) {
  const Shape& x = n.shape(1);
  const Window window = read_pool_window(n, x);
  if (n.channels_last()) {
    n.call(MaxPool2dGradNhwc<Dim, Arg>{
        {image_window(window), x[0], x[1], n.pitch(1), n.out_pitch(0)},
        {n.input_arg(0), n.input_arg(1), n.output_arg(0), n.fused_body()}});
    return;
  }
  n.call("max_pool_grad_nd", PoolNdShape<Dim>{x[0], x[1], nd_window(window), false})
      .template_arg(std::to_string(window.rank()))
      .in({0, 1})
      .out(0)
      .epilogue()
      .divisible();
}

// Linear in dY: the elements that the indices of the pool name. A window without data has none.
void gradient_of_grad(Gradient& n) {
  NodeBuilder& b = n.builder();
  const Term at = b.term(b.add(get("MaxPool"), {n.x(1)}, 2, n.node().attributes)[1]);
  const Term flat = n.emit("Reshape", {n.dy(), n.list({-1})});
  n.dx(0, choose(at < 0.0, 0.0, n.emit("Gather", {flat, at})));
  n.zero(1);
}

void infer_argmax(Infer& n) {
  infer_pool(n);
  n.output(1, ElemType::uint8, pool_out_shape(n, n.shape(0)));
}

// The shape of the data: the spatial extents are an attribute.
void infer_argmax_grad(Infer& n) {
  Shape x = {n.shape(0)[0], n.shape(0)[1]};
  for (std::int64_t extent : n.attr_ints("extents")) x.push_back(extent);
  n.output(0, n.elem(0), std::move(x));
}

LayoutRule layout_argmax(const Node& node) {
  LayoutRule rule = accept_channels_last(node);
  rule.all_inputs = true;
  return rule;
}

void lower_argmax(Lower& n) {
  const Window window = read_pool_window(n, n.shape(0));
  n.call("max_pool_argmax_nd", nd_pool(n, window))
      .template_arg(std::to_string(window.rank()))
      .in(0)
      .out({0, 1})
      .epilogue()
      .divisible();
}

void lower_argmax_grad(Lower& n) {
  const Shape& x = n.out_shape(0);
  const Window window = read_pool_window(n, x);
  n.call("max_pool_grad_argmax_nd",
         PoolNdShape<Dim>{x[0], x[1], nd_window(window), n.channels_last()})
      .template_arg(std::to_string(window.rank()))
      .in({0, 1})
      .out(0)
      .epilogue()
      .divisible();
}

constexpr Op rows[] = {
    {
        .name = "MaxPool",
        .versions = "1 8 10 11 12 22",
        .inputs = "X:T",
        .outputs = "Y:T Indices:int64?",
        .types = "T: floats int8 uint8",
        .attributes = "auto_pad:string=NOTSET ceil_mode:int=0@10- dilations:ints@10- "
                      "kernel_shape:ints! pads:ints storage_order:int=0@8- strides:ints",
        .infer = infer,
        .axes = axes_pool,
        .lower = lower,
        .layout = layout,
        .moves_elements = has_no_empty_window,
        .sweep = true,
        .epilogue = Epilogue::channel_is_axis_1,
        .gradient = gradient,
    },
    {
        .name = "MaxPoolGrad",
        .domain = "onnxc",
        .versions = "1",
        .inputs = "dY:T X:T",
        .outputs = "dX:T",
        .types = "T: floats",
        .attributes = "auto_pad:string=NOTSET ceil_mode:int=0 dilations:ints kernel_shape:ints "
                      "pads:ints strides:ints",
        .infer = infer_grad,
        .lower = lower_grad,
        .layout = layout_grad,
        .epilogue = Epilogue::channel_is_axis_1,
        .gradient = gradient_of_grad,
    },
    {
        .name = "MaxPoolArgmax",
        .domain = "onnxc",
        .versions = "1",
        .inputs = "X:T",
        .outputs = "Y:T Taps:uint8",
        .types = "T: floats",
        .attributes = "auto_pad:string=NOTSET ceil_mode:int=0 dilations:ints kernel_shape:ints "
                      "pads:ints strides:ints",
        .infer = infer_argmax,
        .lower = lower_argmax,
        .layout = accept_channels_last,
        .epilogue = Epilogue::channel_is_axis_1,
    },
    {
        .name = "MaxPoolArgmaxGrad",
        .domain = "onnxc",
        .versions = "1",
        .inputs = "dY:T Taps:uint8",
        .outputs = "dX:T",
        .types = "T: floats",
        .attributes = "auto_pad:string=NOTSET ceil_mode:int=0 dilations:ints extents:ints "
                      "kernel_shape:ints pads:ints strides:ints",
        .infer = infer_argmax_grad,
        .lower = lower_argmax_grad,
        .layout = layout_argmax,
        .epilogue = Epilogue::channel_is_axis_1,
    },
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::max_pool
