// com.microsoft FusedGemm: Gemm and an activation. The fusion pass puts them together again.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::fused_gemm {
namespace {

// The activation's own attributes arrive as activation_alpha, activation_beta, activation_gamma.
Attributes activation_attributes(Upgrade& n) {
  Attributes own;
  for (const char* key : {"alpha", "beta", "gamma"}) {
    const std::string name = std::string("activation_") + key;
    if (const Attribute* a = n.node().find(name)) own[key] = *a;
    n.remove(name);
  }
  return own;
}

void upgrade(Upgrade& n) {
  const std::string activation = n.has_attr("activation") ? n.attr_string("activation") : "";
  n.remove("activation");
  const Attributes own = activation_attributes(n);
  if (!activation.empty()) {
    n.require(find("", activation) != nullptr && get(activation).scalar != nullptr,
              "attribute \"activation\"", "{} is no activation", quoted(activation));
    Value* out = n.mutable_node().outputs[0];
    Value* inner = n.detach_output(0);
    n.emit_after(activation, {inner}, out, own);
  }
  n.to("Gemm");
}

constexpr Op rows[] = {{
    .name = "FusedGemm",
    .domain = "com.microsoft",
    .versions = "1",
    .inputs = "A:T B:T C:T?",
    .outputs = "Y:T",
    .types = "T: numeric",
    .attributes = "alpha:float=1 beta:float=1 transA:int=0 transB:int=0 activation:string "
                  "activation_alpha:float activation_beta:float activation_gamma:float",
    .upgrade = upgrade,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::fused_gemm
