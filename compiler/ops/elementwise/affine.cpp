// Affine, an experimental operator of the first opsets: alpha * x + beta.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::affine {
namespace {

void upgrade(Upgrade& n) {
  Value* x = n.mutable_node().inputs[0];
  const auto factor = [&](const char* name) {
    return n.emit("CastLike", {n.constant(Tensor::scalar(n.attr_float(name))), x});
  };
  Value* beta = factor("beta");
  Value* scaled = n.emit("Mul", {x, factor("alpha")});
  n.to("Add");
  n.mutable_node().attributes.clear();
  n.mutable_node().inputs = {scaled, beta};
}

constexpr Op rows[] = {{
    .name = "Affine",
    .versions = "1",
    .deprecated = 10,
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: classic_floats",
    .attributes = "alpha:float=1 beta:float=0",
    .upgrade = upgrade,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::affine
