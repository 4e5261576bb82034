// GlobalAveragePool: the mean over all spatial axes.
#include "compiler/ops/pooling/pool.hpp"

namespace onnxc::ops::global_average_pool {
namespace {

void lower(Lower& n) {
  Call call = n.call("global_average_pool");
  add_global_pool(call, n);
  call.divisible().in(0).out(0).epilogue();
}

constexpr Op rows[] = {{
    .name = "GlobalAveragePool",
    .versions = "1 22",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .infer = infer_global_pool,
    .lower = lower,
    .layout = accept_channels_last,
    .epilogue = Epilogue::channel_is_axis_1,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::global_average_pool
