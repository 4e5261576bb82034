// com.microsoft FusedGemm: Gemm and an activation.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::fused_gemm {
namespace {

void upgrade(Upgrade& n) {
  n.remove("leaky_relu_alpha");
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
