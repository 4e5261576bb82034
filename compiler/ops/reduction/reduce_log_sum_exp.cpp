// ReduceLogSumExp: logarithm of the sum of exponentials over some axes.
#include "compiler/ops/reduction/rows.hpp"

namespace onnxc::ops::reduce_log_sum_exp {
namespace {

void gradient(Gradient& n) {
  const Term shares = apply("Exp", n.x() - with_reduced_axes(n, n.y()));
  n.dx(0, with_reduced_axes(n, n.dy()) * shares);
}

constexpr Op rows[] = {
    reduction<onnxc::reduce_op::LogSumExp>(kReduced, {
                                                         .name = "ReduceLogSumExp",
                                                         .versions = "1 11 13 18",
                                                         .gradient = gradient,
                                                     })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reduce_log_sum_exp
