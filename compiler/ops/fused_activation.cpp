// Splits a fused activation off a node.
#include "compiler/ops/fused_activation.hpp"

namespace onnxc::ops {
namespace {

// The activation's attributes have longer names here, or form a list in the order of `keys`.
Attributes own_attributes(Upgrade& n, std::span<const char* const> keys) {
  Attributes own;
  for (const char* key : {"alpha", "beta", "gamma"}) {
    const std::string name = std::string("activation_") + key;
    if (const Attribute* a = n.node().find(name)) own[key] = *a;
    n.remove(name);
  }
  const auto it = n.node().attributes.find("activation_params");
  if (it == n.node().attributes.end()) return own;
  const auto* params = std::get_if<std::vector<float>>(&it->second);
  n.require(params && params->size() <= keys.size(), "attribute \"activation_params\"",
            "needs at most {} numbers", keys.size());
  for (std::size_t i = 0; i < params->size(); ++i) own[keys[i]] = (*params)[i];
  n.remove("activation_params");
  return own;
}

}  // namespace

void split_off_activation(Upgrade& n) {
  const Attribute* given = n.node().find("activation");
  const std::string name = given ? n.attr_string("activation") : "";
  n.remove("activation");
  const bool clips = name == "Clip";
  static constexpr const char* kOfClip[] = {"min", "max"};
  static constexpr const char* kOfOthers[] = {"alpha", "beta", "gamma"};
  Attributes own = clips ? own_attributes(n, kOfClip) : own_attributes(n, kOfOthers);
  if (name.empty()) return;
  const Op* op = find("", name);
  n.require(op && op->scalar && signature(*op).min_inputs() == 1, "attribute \"activation\"",
            "{} is no activation", quoted(name));
  Value* out = n.mutable_node().outputs[0];
  std::vector<Value*> inputs = {n.detach_output(0)};
  if (clips) {
    for (const char* key : kOfClip) {
      const auto* limit = own.contains(key) ? std::get_if<float>(&own[key]) : nullptr;
      inputs.push_back(limit ? n.constant(Tensor::scalar(*limit)) : nullptr);
    }
    own.clear();
  }
  n.emit_after(name, std::move(inputs), out, std::move(own));
}

}  // namespace onnxc::ops
