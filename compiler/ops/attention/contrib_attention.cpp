// Rewrites attention operators of com.microsoft to the standard's Attention.
#include "compiler/ops/attention/contrib_attention.hpp"

#include "compiler/ops/upgrade.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops {
namespace {

Attributes head_attributes(const Upgrade& n, std::int64_t part, const std::string& role) {
  return {{"heads", head_count(n)}, {"part", part}, {"role", role}};
}

Value* ints(Upgrade& n, std::initializer_list<std::int64_t> values) {
  return n.constant(Tensor::ints(std::vector<std::int64_t>(values)));
}

// The sum of mask and bias, to be added to the scores; null without either.
Value* score_bias(Upgrade& n, const HeadValues& h) {
  Value* mask = h.mask ? n.emit("onnxc::MaskBias", {h.mask, h.q, h.k, h.past_k},
                                {{"filter", n.attr_float("mask_filter_value")},
                                 {"role", "input " + quoted(h.mask_name)}})
                       : nullptr;
  if (!h.bias || !mask) return h.bias ? h.bias : mask;
  return n.emit("Add", {mask, h.bias});
}

// [batch, heads, length, width] -> [batch, length, heads * width]
void merge_heads(Upgrade& n, Value* heads, Value* out) {
  Value* transposed = n.graph().add_value(n.graph().fresh_name(out->name));
  n.emit_after("Transpose", {heads}, transposed, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
  n.emit_after("Reshape", {transposed, ints(n, {0, 0, -1})}, out);
}

}  // namespace

std::int64_t head_count(const Upgrade& n) {
  const std::int64_t heads = n.attr_int("num_heads");
  n.require(heads >= 1, "attribute \"num_heads\"", "{} heads", heads);
  return heads;
}

Value* heads_of(Upgrade& n, Value* x, Value* bias, std::int64_t part, const std::string& role,
                Value* keys) {
  return n.emit("onnxc::SplitHeads", {x, bias, bias ? keys : nullptr},
                head_attributes(n, part, role));
}

Value* packed_heads_of(Upgrade& n, Value* x, Value* bias, std::int64_t part, std::int64_t parts,
                       std::int64_t slot, const std::string& role) {
  Attributes attributes = head_attributes(n, part, role);
  attributes["parts"] = parts;
  attributes["slot"] = slot;
  return n.emit("onnxc::SplitHeads", {x, bias}, std::move(attributes));
}

void to_attention(Upgrade& n, const HeadValues& h, std::vector<Value*> outputs) {
  outputs.resize(4, nullptr);
  Attributes attributes;
  if (n.has_attr("scale") && n.attr_float("scale") != 0.0f)
    attributes["scale"] = n.attr_float("scale");
  attributes["is_causal"] = std::int64_t{n.attr_int("unidirectional") != 0};
  attributes["qk_matmul_output_mode"] = std::int64_t{3};
  Value* mask = score_bias(n, h);
  Value* out = outputs[0];
  outputs[0] = n.graph().add_value(n.graph().fresh_name(out->name));
  merge_heads(n, outputs[0], out);
  Node& node = n.mutable_node();
  node.inputs = {h.q, h.k, h.v, mask, h.past_k, h.past_v};
  while (!outputs.back()) outputs.pop_back();
  node.outputs = std::move(outputs);
  for (Value* v : node.outputs)
    if (v) v->producer = &node;
  node.attributes = std::move(attributes);
  n.to("Attention");
}

namespace {

std::optional<std::int64_t> weight_columns(const Upgrade& n) {
  const Type& weights = n.input(1);
  if (!weights.has_rank() || weights.rank() != 2) return std::nullopt;
  return (*weights.shape)[1].constant();
}

// Splits the product's columns into queries, keys and values.
std::vector<Value*> split_product(Upgrade& n, Value* product) {
  std::vector<Value*> inputs = {product};
  Attributes attributes = {{"axis", std::int64_t{2}}};
  const auto* sizes = n.find_ints("qkv_hidden_sizes");
  if (sizes && !sizes->empty()) {
    n.require(sizes->size() == 3, "attribute \"qkv_hidden_sizes\"", "has {} entries, needs 3",
              sizes->size());
    for (std::int64_t s : *sizes)
      n.require(s > 0 && s % head_count(n) == 0, "attribute \"qkv_hidden_sizes\"",
                "{} for {} heads", s, head_count(n));
    n.require((*sizes)[0] == (*sizes)[1], "attribute \"qkv_hidden_sizes\"",
              "queries have {}, keys {}", (*sizes)[0], (*sizes)[1]);
    const Dim columns = Dim((*sizes)[0]) + Dim((*sizes)[1]) + Dim((*sizes)[2]);
    if (const auto all = weight_columns(n))
      n.require(columns == Dim(*all), "attribute \"qkv_hidden_sizes\"",
                "adds up to {}, the weights have {} columns", columns.to_string(), *all);
    inputs.push_back(n.constant(Tensor::ints(*sizes)));
  } else {
    if (const auto all = weight_columns(n))
      n.require(*all % 3 == 0, input_field(1, "weights"), "{} columns are not three equal parts",
                *all);
    attributes["num_outputs"] = std::int64_t{3};
  }
  return n.emit_all("Split", inputs, 3, attributes);
}

}  // namespace

void to_joined_attention(Upgrade& n, const JoinedInputs& j) {
  for (const char* flag : {"do_rotary", "past_present_share_buffer"})
    if (n.has_attr(flag) && n.attr_int(flag) != 0)
      n.unsupported("attribute " + quoted(flag), "only 0 is supported");
  if (const Type& x = n.input(0); x.has_rank())
    n.require(x.rank() == 3, input_field(0, "input"), "rank {}, needs 3", x.rank());
  const auto input = [&](std::size_t i) {
    return i > 0 && n.has_input(i) ? n.node().inputs[i] : nullptr;
  };
  HeadValues h;
  h.mask = input(j.mask);
  h.bias = to_float32(n, input(j.bias));
  if (Value* past = to_float32(n, input(j.past))) {
    h.past_k = n.emit("Gather", {past, n.constant(Tensor::scalar(std::int64_t{0}))});
    h.past_v = n.emit("Gather", {past, n.constant(Tensor::scalar(std::int64_t{1}))});
  }
  const std::vector<Value*> parts = split_product(n, j.product);
  const std::string role = input_field(1, "weights");
  h.q = heads_of(n, parts[0], nullptr, 0, role);
  h.k = heads_of(n, parts[1], nullptr, 1, role);
  h.v = heads_of(n, parts[2], nullptr, 2, role);
  std::vector<Value*> outputs = {n.node().outputs[0], nullptr, nullptr};
  if (n.has_output(1)) {
    Value* present = n.node().outputs[1];
    const auto fresh = [&] { return n.graph().add_value(n.graph().fresh_name(present->name)); };
    outputs[1] = fresh();
    outputs[2] = fresh();
    Value *k = fresh(), *v = fresh();
    n.emit_after("Unsqueeze", {outputs[1], ints(n, {0})}, k);
    n.emit_after("Unsqueeze", {outputs[2], ints(n, {0})}, v);
    Value* both = fresh();
    n.emit_after("Concat", {k, v}, both, {{"axis", std::int64_t{0}}});
    n.emit_after("CastLike", {both, j.like}, present);
  }
  Value* out = outputs[0];
  Value* wide = outputs[0] = n.graph().add_value(n.graph().fresh_name(out->name));
  to_attention(n, h, std::move(outputs));
  n.emit_after("CastLike", {wide, j.like}, out);
}

}  // namespace onnxc::ops
