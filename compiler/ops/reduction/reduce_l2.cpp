// ReduceL2: square root of the sum of squares over some axes.
#include "compiler/ops/reduction/rows.hpp"

namespace onnxc::ops::reduce_l2 {
namespace {

constexpr Op rows[] = {
    reduction<onnxc::reduce_op::L2>(kReduced, {.name = "ReduceL2", .versions = "1 11 13 18"})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reduce_l2
