// AveragePool: the mean of every window. onnxc::AveragePoolGrad is its derivative, which takes that
// of the result and the shape of the data.
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/pooling/pool.hpp"
#include "compiler/ops/window_axes.hpp"

namespace onnxc::ops::average_pool {
namespace {

void lower(Lower& n) {
  const Window window = read_pool_window(n, n.shape(0));
  const bool count_pad = n.attr_int("count_include_pad") != 0;
  if (has_image_kernel(n)) {
    const bool image = window.rank() == 2;
    n.call(AveragePool2dNhwc<Dim, Arg>{{image_pool(n, window), image ? window.pad_end[0] : Dim(0),
                                        window.pad_end.back(), count_pad},
                                       {n.input_arg(0), n.output_arg(0), n.fused_body()}});
    return;
  }
  Call call = n.call("average_pool_nd", AveragePoolNdShape<Dim>{nd_pool(n, window), count_pad});
  call.template_arg(std::to_string(window.rank())).in(0).out(0).epilogue();
}

void infer_int8(Infer& n) { n.output(0, ElemType::float32, pool_out_shape(n, n.shape(0))); }

LayoutRule layout_int8(const Node&) { return {.accepts = true, .prefers = true}; }

void lower_int8(Lower& n) {
  const Window window = read_pool_window(n, n.shape(0));
  const Dim pad_bottom = window.rank() == 2 ? window.pad_end[0] : Dim(0);
  n.call(AveragePool2dInt8Nhwc<Dim, Arg>{{{image_window(window), n.shape(0)[0], n.shape(0)[1]},
                                          pad_bottom,
                                          window.pad_end.back(),
                                          n.attr_int("count_include_pad") != 0,
                                          static_cast<std::int64_t>(n.attr_float("zero")),
                                          n.attr_float("step")},
                                         {n.input_arg(0), n.output_arg(0), n.fused_body()}});
}

void gradient(Gradient& n) {
  n.shape(0);
  const Op& back = get("AveragePoolGrad", "onnxc");
  NodeBuilder& b = n.builder();
  n.dx(0, b.term(b.add(back, {n.dy(), n.shape_of(n.x())}, 1, n.node().attributes).front()));
}

void infer_grad(Infer& n) {
  const auto x = n.extents(1);
  n.output(0, n.elem(0), x ? std::optional<Shape>(*x) : std::nullopt);
}

void lower_grad(Lower& n) {
  const Shape& x = n.out_shape(0);
  const Window window = read_pool_window(n, x);
  const PoolNdShape<Dim> pool = {x[0], x[1], nd_window(window), false};
  n.call("average_pool_grad_nd",
         AveragePoolNdShape<Dim>{pool, n.attr_int("count_include_pad") != 0})
      .template_arg(std::to_string(window.rank()))
      .in(0)
      .out(0)
      .divisible();
}

// Its transpose is the pool again.
void gradient_of_grad(Gradient& n) {
  n.dx(0, n.emit("AveragePool", {n.dy()}, n.node().attributes));
}

constexpr std::string_view kAttributes =
    "auto_pad:string=NOTSET ceil_mode:int=0 count_include_pad:int=0 dilations:ints "
    "kernel_shape:ints pads:ints strides:ints";

constexpr Op rows[] = {
    {
        .name = "AveragePool",
        .versions = "1 7 10 11 19 22",
        .inputs = "X:T",
        .outputs = "Y:T",
        .types = "T: floats",
        .attributes = "auto_pad:string=NOTSET ceil_mode:int=0@10- count_include_pad:int=0@7- "
                      "dilations:ints@19- "
                      "kernel_shape:ints! pads:ints strides:ints",
        .infer = infer_pool,
        .axes = axes_pool,
        .lower = lower,
        .layout = prefer_channels_last,
        .epilogue = Epilogue::channel_is_axis_1,
        .gradient = gradient,
    },
    {
        .name = "AveragePoolGrad",
        .domain = "onnxc",
        .versions = "1",
        .inputs = "dY:T shape:int64",
        .outputs = "dX:T",
        .types = "T: floats",
        .attributes = kAttributes,
        .infer = infer_grad,
        .lower = lower_grad,
        .gradient = gradient_of_grad,
    },
    internal({
        .name = "AveragePoolInt8",
        .inputs = "X:T",
        .outputs = "Y:T2",
        .types = "T: int8 uint8; T2: float int8 uint8",
        .attributes = "auto_pad:string=NOTSET ceil_mode:int=0 count_include_pad:int=0 "
                      "dilations:ints kernel_shape:ints! pads:ints strides:ints zero:float! "
                      "step:float!",
        .infer = infer_int8,
        .lower = lower_int8,
        .layout = layout_int8,
        .epilogue = Epilogue::channel_is_axis_1,
    }),
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::average_pool
