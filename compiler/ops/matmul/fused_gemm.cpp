// com.microsoft FusedGemm: Gemm and an activation.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::fused_gemm {
namespace {

// The first versions of ONNX Runtime had the slope of LeakyRelu in an attribute of its own.
void rename_slope(Upgrade& n) {
  auto& attributes = n.mutable_node().attributes;
  const auto slope = attributes.find("leaky_relu_alpha");
  if (slope == attributes.end()) return;
  const Attribute* activation = n.node().find("activation");
  if (activation && n.attr_string("activation") == "LeakyRelu")
    attributes.emplace("activation_alpha", slope->second);
  n.remove("leaky_relu_alpha");
}

void upgrade(Upgrade& n) {
  rename_slope(n);
  split_off_activation(n);
  n.to("Gemm");
}

constexpr Op rows[] = {contrib({
    .name = "FusedGemm",
    .inputs = "A:T B:T C:T?",
    .outputs = "Y:T",
    .types = "T: numeric",
    .attributes = "alpha:float=1 beta:float=1 transA:int=0 transB:int=0 activation:string "
                  "activation_alpha:float activation_beta:float activation_gamma:float "
                  "leaky_relu_alpha:float",
    .upgrade = upgrade,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::fused_gemm
