// ReduceMin: smallest element; NaN wins over some axes.
#include "compiler/ops/reduction/rows.hpp"

namespace onnxc::ops::reduce_min {
namespace {

constexpr Op rows[] = {
    reduction<onnxc::reduce_op::Min>(kReducedAndSmall, {
                                                           .name = "ReduceMin",
                                                           .versions = "1 11 12 13 18 20",
                                                           .gradient = gradient_of_extremum,
                                                       })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reduce_min
