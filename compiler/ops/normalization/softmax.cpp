// Softmax: exponentials divided by their sum of the slices along one axis.
#include "compiler/ops/normalization/softmax_lowering.hpp"

namespace onnxc::ops::softmax {
namespace {

void lower(Lower& n) { lower_softmax(n, false); }

constexpr Op rows[] = {{
    .name = "Softmax",
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
}  // namespace onnxc::ops::softmax
