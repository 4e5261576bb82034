// ReduceMax: largest element; NaN wins over some axes.
#include "compiler/ops/reduction/rows.hpp"

namespace onnxc::ops::reduce_max {
namespace {

constexpr Op rows[] = {
    reduction<onnxc::reduce_op::Max>(kReducedAndSmall, {
                                                           .name = "ReduceMax",
                                                           .versions = "1 11 12 13 18 20",
                                                           .gradient = gradient_of_extremum,
                                                       })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reduce_max
