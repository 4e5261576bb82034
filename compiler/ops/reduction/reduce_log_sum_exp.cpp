// ReduceLogSumExp: logarithm of the sum of exponentials over some axes.
#include "compiler/ops/reduction/rows.hpp"

namespace onnxc::ops::reduce_log_sum_exp {
namespace {

constexpr Op rows[] = {reduction<onnxc::reduce_op::LogSumExp>(
    kReduced, {.name = "ReduceLogSumExp", .versions = "1 11 13 18"})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reduce_log_sum_exp
