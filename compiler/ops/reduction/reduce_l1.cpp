// ReduceL1: sum of magnitudes over some axes.
#include "compiler/ops/reduction/rows.hpp"

namespace onnxc::ops::reduce_l1 {
namespace {

constexpr Op rows[] = {reduction<onnxc::reduce_op::L1>(
    kReduced, {.name = "ReduceL1", .versions = "1 11 13 18", .gradient = [](Gradient& n) {
                 n.dx(0, spread_over_reduced(n, n.dy()) * apply("Sign", n.x()));
               }})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reduce_l1
