// Softmax and LogSoftmax: exp(x) divided by its sum along one axis, and the logarithm of that.
#include "compiler/ops/normalization/softmax_lowering.hpp"

namespace onnxc::ops::softmax {
namespace {

void lower_plain(Lower& n) { lower_softmax(n, false); }
void lower_logarithm(Lower& n) { lower_softmax(n, true); }

constexpr Op row_of(std::string_view name, void (*lower)(Lower&)) {
  return {
      .name = name,
      .versions = "1 11 13",
      .inputs = "input:T",
      .outputs = "output:T",
      .types = "T: floats",
      .attributes = "axis:int=-1",
      .upgrade = upgrade_softmax,
      .infer = infer_softmax,
      .lower = lower,
  };
}

constexpr Op rows[] = {row_of("Softmax", lower_plain), row_of("LogSoftmax", lower_logarithm)};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::softmax
