// Edits of a node while it is upgraded to the newest version of its operator.
#include "compiler/ops/upgrade.hpp"

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

const Op& named(const std::string& op_type) {
  const std::size_t colons = op_type.find("::");
  if (colons == std::string::npos) return get(op_type);
  return get(op_type.substr(colons + 2), op_type.substr(0, colons));
}

void Upgrade::set(const std::string& attribute, Attribute value) {
  mutable_node_->attributes[attribute] = std::move(value);
}

void Upgrade::remove(const std::string& attribute) { mutable_node_->attributes.erase(attribute); }

void Upgrade::set_input(std::size_t i, Value* value) {
  if (mutable_node_->inputs.size() <= i) mutable_node_->inputs.resize(i + 1);
  mutable_node_->inputs.set(i, value);
}

void Upgrade::attribute_to_input(const std::string& attribute, std::size_t i) {
  const auto it = mutable_node_->attributes.find(attribute);
  if (it == mutable_node_->attributes.end()) return;
  const Attribute& a = it->second;
  Tensor tensor;
  if (const auto* ints = std::get_if<std::vector<std::int64_t>>(&a))
    tensor = Tensor::ints(*ints);
  else if (const auto* number = std::get_if<std::int64_t>(&a))
    tensor = Tensor::scalar(*number);
  else if (const auto* real = std::get_if<float>(&a))
    tensor = Tensor::scalar(*real);
  else
    fail("attribute " + quoted(attribute), "has the wrong type");
  set_input(i, constant(std::move(tensor)));
  mutable_node_->attributes.erase(it);
}

void Upgrade::to(const std::string& op_type) { mutable_node_->op = &named(op_type); }

Value* Upgrade::constant(Tensor tensor) { return editor_.constant(std::move(tensor), "const"); }

Value* Upgrade::emit(const std::string& op_type, const std::vector<Value*>& inputs,
                     Attributes attributes) {
  return emit_all(op_type, inputs, 1, std::move(attributes)).front();
}

std::vector<Value*> Upgrade::emit_all(const std::string& op_type, const std::vector<Value*>& inputs,
                                      std::size_t outputs, Attributes attributes) {
  std::vector<Value*> results = {editor_.value({})};
  while (results.size() < outputs) results.push_back(editor_.value({}, results[0]->name));
  editor_.emit_as(results, named(op_type), inputs, std::move(attributes));
  return results;
}

Value* Upgrade::detach_output(std::size_t i) {
  Value* old = mutable_node_->outputs[i];
  Value* inner = editor_.value({}, old->name);
  mutable_node_->outputs[i] = inner;
  inner->producer = mutable_node_;
  return inner;
}

void Upgrade::emit_after(const std::string& op_type, const std::vector<Value*>& inputs,
                         Value* output, Attributes attributes) {
  after.push_back(
      node_like(*mutable_node_, named(op_type), inputs, {output}, std::move(attributes)));
}

Value* to_float32(Upgrade& n, Value* x) { return x ? n.emit("onnxc::ToFloat32", {x}) : nullptr; }

void cast_output_like(Upgrade& n, Value* like) {
  Value* out = n.node().outputs[0];
  n.emit_after("CastLike", {n.detach_output(0), like}, out);
}

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
  n.emit_after(name, inputs, out, std::move(own));
}

}  // namespace onnxc::ops
