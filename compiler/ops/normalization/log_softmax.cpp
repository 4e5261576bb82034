// LogSoftmax: the logarithm of Softmax of the slices along one axis.
#include "compiler/ops/normalization/softmax_lowering.hpp"

namespace onnxc::ops::log_softmax {
namespace {

void lower(Lower& n) { lower_softmax(n, true); }

constexpr Op rows[] = {{
    .name = "LogSoftmax",
    .versions = "1 11 13",
    .inputs = "input:T",
    .outputs = "output:T",
    .types = "T: floats",
    .attributes = "axis:int=-1",
    .upgrade = upgrade_softmax,
    .infer = infer_softmax,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::log_softmax
