// com.microsoft FusedConv: Conv plus another tensor, then an activation.
#include <algorithm>

#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::fused_conv {
namespace {

void upgrade(Upgrade& n) {
  split_off_activation(n);
  if (n.has_input(3)) {
    Value* other = n.node().inputs[3];
    Value* out = n.mutable_node().outputs[0];
    Value* sum = n.detach_output(0);
    n.emit_after("Add", {sum, other}, out);
    // Added before the activation.
    std::rotate(n.after.begin(), n.after.end() - 1, n.after.end());
  }
  if (n.input_count() > 3) n.mutable_node().inputs.resize(3);
  n.to("Conv");
}

constexpr Op rows[] = {contrib({
    .name = "FusedConv",
    .inputs = "X:T W:T B:T? Z:T?",
    .outputs = "Y:T",
    .types = "T: classic_floats",
    .attributes = "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints pads:ints "
                  "strides:ints activation:string activation_params:floats",
    .upgrade = upgrade,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::fused_conv
