// ReduceL2: square root of the sum of squares over some axes.
#include "compiler/ops/reduction/rows.hpp"

namespace onnxc::ops::reduce_l2 {
namespace {

// 0 where the norm is 0.
void gradient(Gradient& n) {
  const Term scaled = n.dy() / choose(n.y() == 0.0, 1.0, n.y());
  n.dx(0, n.x() * spread_over_reduced(n, scaled));
}

constexpr Op rows[] = {reduction<onnxc::reduce_op::L2>(kReduced, {
                                                                     .name = "ReduceL2",
                                                                     .versions = "1 11 13 18",
                                                                     .gradient = gradient,
                                                                 })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reduce_l2
