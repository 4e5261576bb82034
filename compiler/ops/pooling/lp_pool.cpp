// LpPool: the p-norm of every window.
#include "compiler/ops/pooling/pool.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::lp_pool {
namespace {

void upgrade(Upgrade& n) { whole_norm_order(n); }

void infer(Infer& n) {
  norm_order(n);
  infer_pool(n);
}

void lower(Lower& n) {
  const Window window = read_pool_window(n, n.shape(0));
  Call call = n.call("lp_pool_nd", LpPoolNdShape<Dim>{nd_pool(n, window), norm_order(n)});
  call.template_arg(std::to_string(window.rank())).in(0).out(0);
}

constexpr Op rows[] = {{
    .name = "LpPool",
    .versions = "1 2 11 18 22",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "auto_pad:string=NOTSET ceil_mode:int=0@18- dilations:ints@18- "
                  "kernel_shape:ints@1-1 kernel_shape:ints!@2- "
                  "p:int=2@2- p:float=2@1-1 pads:ints strides:ints",
    .upgrade = upgrade,
    .infer = infer,
    .lower = lower,
    .layout = accept_channels_last,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::lp_pool
