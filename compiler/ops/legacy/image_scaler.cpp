// ImageScaler, an experimental operator of the first opsets: x * scale + bias[channel].
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::image_scaler {
namespace {

void upgrade(Upgrade& n) {
  Value* scale = n.constant(Tensor::scalar(n.attr_float("scale")));
  Value* scaled = n.emit("Mul", {n.mutable_node().inputs[0], scale});
  const std::vector<float> bias = n.attr_floats("bias");
  const auto channels = static_cast<std::int64_t>(bias.size());
  Value* shift = n.constant(Tensor::of<float>(ElemType::float32, {channels, 1, 1}, bias));
  n.to("Add");
  n.mutable_node().attributes.clear();
  n.mutable_node().inputs = {scaled, shift};
}

constexpr Op rows[] = {{
    .name = "ImageScaler",
    .versions = "1",
    .deprecated = 10,
    .inputs = "input:T",
    .outputs = "output:T",
    .types = "T: float",
    .attributes = "bias:floats! scale:float=1",
    .limits = "float16, double",
    .upgrade = upgrade,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::image_scaler
