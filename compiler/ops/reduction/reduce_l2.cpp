// ReduceL2: square root of the sum of squares over some axes.
#include "compiler/ops/reduction/reduction.hpp"

namespace onnxc::ops::reduce_l2 {
namespace {

void lower(Lower& n) { lower_reduce(n, "L2"); }

constexpr Op rows[] = {{
    .name = "ReduceL2",
    .versions = "1 11 13 18",
    .inputs = "data:T axes:int64?",
    .outputs = "reduced:T",
    .types = "T: floats uint32 uint64 int32 int64",
    .attributes = "keepdims:int=1 noop_with_empty_axes:int=0@18- axes:ints@1-17",
    .upgrade = upgrade_reduce,
    .infer = infer_reduce,
    .fold = fold_reduce<onnxc::reduce_op::L2>,
    .lower = lower,
    .layout = layout_reduce,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reduce_l2
