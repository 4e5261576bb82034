// ReduceSumSquare: sum of squares over some axes.
#include "compiler/ops/reduction/rows.hpp"

namespace onnxc::ops::reduce_sum_square {
namespace {

constexpr Op rows[] = {reduction<onnxc::reduce_op::SumSquare>(
    kReduced, {.name = "ReduceSumSquare", .versions = "1 11 13 18", .gradient = [](Gradient& n) {
                 n.dx(0, 2 * n.x() * spread_over_reduced(n, n.dy()));
               }})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reduce_sum_square
