// ImageScaler, an experimental operator of the first opsets: x * scale + bias[channel].
#include "compiler/ops/upgrade.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::image_scaler {
namespace {

// The Add would broadcast what is wrong. Types of inner values are not known yet.
void check_shape(const Upgrade& n, std::int64_t channels) {
  if (!n.input(0).has_rank()) return;
  const Shape& x = *n.input(0).shape;
  n.require(x.size() == 4, input_field(0, "input"), "rank {}, needs 4", x.size());
  n.require(!x[1].is_const() || x[1].is(channels), "attribute \"bias\"",
            "has {} elements, needs {}", channels, x[1].to_string());
}

void upgrade(Upgrade& n) {
  Value* x = n.mutable_node().inputs[0];
  Value* scale = n.emit("CastLike", {n.constant(Tensor::scalar(n.attr_float("scale"))), x});
  Value* scaled = n.emit("Mul", {x, scale});
  const std::vector<float> bias = n.attr_floats("bias");
  const auto channels = static_cast<std::int64_t>(bias.size());
  check_shape(n, channels);
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
