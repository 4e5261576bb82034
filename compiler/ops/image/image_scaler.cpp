// ImageScaler, an experimental operator of the first opsets: x * scale + bias[channel].
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::image_scaler {
namespace {

void upgrade(Upgrade& n) {
  Value* x = n.mutable_node().inputs[0];
  Value* scale = n.emit("CastLike", {n.constant(Tensor::scalar(n.attr_float("scale"))), x});
  Value* scaled = n.emit("Mul", {x, scale});
  const std::vector<float> bias = n.attr_floats("bias");
  const auto channels = static_cast<std::int64_t>(bias.size());
  const Tensor lifted = Tensor::of<float>(ElemType::float32, {channels, 1, 1}, bias);
  Value* shift = n.emit("CastLike", {n.constant(lifted), x});
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
    .types = "T: classic_floats",
    .attributes = "bias:floats! scale:float=1",
    .upgrade = upgrade,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::image_scaler
