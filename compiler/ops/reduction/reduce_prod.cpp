// ReduceProd: product over some axes.
#include "compiler/ops/reduction/rows.hpp"

namespace onnxc::ops::reduce_prod {
namespace {

constexpr Op rows[] = {
    reduction<onnxc::reduce_op::Prod>(kReduced, {.name = "ReduceProd", .versions = "1 11 13 18"})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reduce_prod
