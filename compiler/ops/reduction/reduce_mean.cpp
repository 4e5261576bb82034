// ReduceMean: mean over some axes.
#include "compiler/ops/reduction/rows.hpp"

namespace onnxc::ops::reduce_mean {
namespace {

constexpr Op rows[] = {reduction<onnxc::reduce_op::Mean>(
    kReduced, {.name = "ReduceMean", .versions = "1 11 13 18", .gradient = [](Gradient& n) {
                 n.dx(0, spread_over_reduced(n, n.dy()) / count_of_reduced(n));
               }})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reduce_mean
