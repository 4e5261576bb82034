// GlobalAveragePool, GlobalMaxPool and GlobalLpPool: mean, largest element and p-norm over all
// spatial axes.
#include "compiler/ops/pooling/pool.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::global_pool {
namespace {

void lower_global(Lower& n, const char* kernel) {
  n.call(kernel, global_pool_shape(n)).divisible().in(0).out(0).epilogue();
}
void lower_average(Lower& n) { lower_global(n, "global_average_pool"); }
void lower_max(Lower& n) { lower_global(n, "global_max_pool"); }

void upgrade_lp(Upgrade& n) { whole_norm_order(n); }

void infer_lp(Infer& n) {
  norm_order(n);
  infer_global_pool(n);
}

void lower_lp(Lower& n) {
  n.call("global_lp_pool", GlobalLpPoolShape<Dim>{global_pool_shape(n), norm_order(n)})
      .in(0)
      .out(0);
}

constexpr Op rows[] = {
    {
        .name = "GlobalAveragePool",
        .versions = "1 22",
        .inputs = "X:T",
        .outputs = "Y:T",
        .types = "T: floats",
        .infer = infer_global_pool,
        .lower = lower_average,
        .layout = accept_channels_last,
        .epilogue = Epilogue::channel_is_axis_1,
    },
    {
        .name = "GlobalMaxPool",
        .versions = "1 22",
        .inputs = "X:T",
        .outputs = "Y:T",
        .types = "T: floats",
        .infer = infer_global_pool,
        .lower = lower_max,
        .layout = accept_channels_last,
        .epilogue = Epilogue::channel_is_axis_1,
    },
    {
        .name = "GlobalLpPool",
        .versions = "1 2 22",
        .inputs = "X:T",
        .outputs = "Y:T",
        .types = "T: floats",
        .attributes = "p:int=2@2- p:float=2@1-1",
        .upgrade = upgrade_lp,
        .infer = infer_lp,
        .lower = lower_lp,
        .layout = accept_channels_last,
    },
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::global_pool
