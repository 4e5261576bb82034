// AveragePool: the mean of every window.
#include "compiler/ops/pooling/pool.hpp"

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

constexpr Op rows[] = {{
    .name = "AveragePool",
    .versions = "1 7 10 11 19 22",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes =
        "auto_pad:string=NOTSET ceil_mode:int=0@10- count_include_pad:int=0@7- dilations:ints@19- "
        "kernel_shape:ints! pads:ints strides:ints",
    .infer = infer_pool,
    .lower = lower,
    .layout = prefer_channels_last,
    .epilogue = Epilogue::channel_is_axis_1,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::average_pool
