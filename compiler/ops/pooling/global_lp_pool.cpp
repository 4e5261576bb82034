// GlobalLpPool: the p-norm over all spatial axes.
#include "compiler/ops/pooling/pool.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::global_lp_pool {
namespace {

void upgrade(Upgrade& n) { whole_norm_order(n); }

void infer(Infer& n) {
  norm_order(n);
  infer_global_pool(n);
}

void lower(Lower& n) {
  Call call = n.call("global_lp_pool");
  add_global_pool(call, n);
  call.dim("p", norm_order(n)).in(0).out(0);
}

constexpr Op rows[] = {{
    .name = "GlobalLpPool",
    .versions = "1 2 22",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "p:int=2@2- p:float=2@1-1",
    .upgrade = upgrade,
    .infer = infer,
    .lower = lower,
    .layout = accept_channels_last,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::global_lp_pool
