// AveragePool: the mean of every window.
#include "compiler/ops/pool.hpp"

namespace onnxc::ops::average_pool {
namespace {

void lower(Lower& n) {
  Call call = n.call("average_pool_nd");
  add_pool(call, n, read_pool_window(n, n.shape(0)));
  call.flag("count_pad", n.attr_int("count_include_pad") != 0).in(0).out(0).epilogue();
}

constexpr Op rows[] = {{
    .name = "AveragePool",
    .versions = "1 7 10 11 19 22",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "auto_pad:string=NOTSET ceil_mode:int=0 count_include_pad:int=0 dilations:ints "
                  "kernel_shape:ints pads:ints strides:ints",
    .infer = infer_pool,
    .lower = lower,
    .layout = accept_channels_last,
    .epilogue = Epilogue::channel_is_axis_1,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::average_pool
