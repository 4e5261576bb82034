// Affine, an experimental operator of the first opsets: alpha * x + beta.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::affine {
namespace {

void upgrade(Upgrade& n) {
  Value* alpha = n.constant(Tensor::scalar(n.attr_float("alpha")));
  Value* beta = n.constant(Tensor::scalar(n.attr_float("beta")));
  Value* scaled = n.emit("Mul", {n.mutable_node().inputs[0], alpha});
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
    .types = "T: float",
    .attributes = "alpha:float=1 beta:float=0",
    .limits = "float16, double",
    .upgrade = upgrade,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::affine
