// ReduceSum: sum over some axes.
#include "compiler/ops/reduction/rows.hpp"

namespace onnxc::ops::reduce_sum {
namespace {

constexpr Op rows[] = {reduction<onnxc::reduce_op::Sum>(
    kReduced, {
                  .name = "ReduceSum",
                  .versions = "1 11 13",
                  .attributes = "keepdims:int=1 noop_with_empty_axes:int=0@13- axes:ints@1-12",
                  .gradient = [](Gradient& n) { n.dx(0, spread_over_reduced(n, n.dy())); },
              })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reduce_sum
