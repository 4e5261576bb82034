// SimplifiedLayerNormalization, which ONNX Runtime has in the domain ai.onnx: RMSNormalization.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::simplified_layer_normalization {
namespace {

void upgrade(Upgrade& n) {
  if (n.has_output(1))
    n.unsupported("output 1 \"inv_std_var\"", "the statistics of training are not computed");
  n.mutable_node().outputs.resize(1);
  n.to("RMSNormalization");
}

constexpr Op row_of(std::string_view domain) {
  return {
      .name = "SimplifiedLayerNormalization",
      .domain = domain,
      .versions = "1",
      .inputs = "X:T scale:V",
      .outputs = "Y:V inv_std_var:U?",
      .types = "T: floats; V: floats; U: float double",
      .attributes = "axis:int=-1 epsilon:float=1e-5 stash_type:int=1",
      .limits = "inv_std_var, which only training reads",
      .upgrade = upgrade,
  };
}

constexpr Op rows[] = {row_of(""), row_of("com.microsoft")};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::simplified_layer_normalization
