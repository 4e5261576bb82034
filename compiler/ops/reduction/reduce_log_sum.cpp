// ReduceLogSum: logarithm of the sum over some axes.
#include "compiler/ops/reduction/rows.hpp"

namespace onnxc::ops::reduce_log_sum {
namespace {

constexpr Op rows[] = {reduction<onnxc::reduce_op::LogSum>(
    kReduced, {.name = "ReduceLogSum", .versions = "1 11 13 18", .gradient = [](Gradient& n) {
                 n.dx(0, spread_over_reduced(n, n.dy() * apply("Exp", -n.y())));
               }})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reduce_log_sum
