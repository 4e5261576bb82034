// ReduceLogSumExp: logarithm of the sum of exponentials over some axes.
#include "compiler/ops/reduction/reduction.hpp"

namespace onnxc::ops::reduce_log_sum_exp {
namespace {

void lower(Lower& n) { lower_reduce(n, "LogSumExp"); }

constexpr Op rows[] = {{
    .name = "ReduceLogSumExp",
    .versions = "1 11 13 18",
    .inputs = "data:T axes:int64?",
    .outputs = "reduced:T",
    .types = "T: floats uint32 uint64 int32 int64",
    .attributes = "keepdims:int=1 noop_with_empty_axes:int=0@18- axes:ints@1-17",
    .upgrade = upgrade_reduce,
    .infer = infer_reduce,
    .fold = fold_reduce<onnxc::reduce_op::LogSumExp>,
    .lower = lower,
    .layout = layout_reduce,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reduce_log_sum_exp
