// com.microsoft MultiHeadAttention: attention of queries, keys and values, separate or packed, with
// or without an axis of heads.
#include "compiler/ops/attention/contrib_attention.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::multi_head_attention {
namespace {

void read_heads(Upgrade& n, HeadValues& h) {
  const auto input = [&](std::size_t i) { return n.has_input(i) ? n.node().inputs[i] : nullptr; };
  Value *query = input(0), *key = input(1), *value = input(2), *bias = input(3);
  const std::string q = input_field(0, "query"), k = input_field(1, "key");
  n.require(key || !value, input_field(2, "value"), "needs a key");
  if (!key) {
    h.q = packed_heads_of(n, query, bias, 0, 3, 0, q);
    h.k = packed_heads_of(n, query, bias, 1, 3, 1, q);
    h.v = packed_heads_of(n, query, bias, 2, 3, 2, q);
    return;
  }
  h.q = heads_of(n, query, bias, 0, q);
  if (!value) {
    h.k = packed_heads_of(n, key, bias, 1, 2, 0, k);
    h.v = packed_heads_of(n, key, bias, 2, 2, 1, k);
    return;
  }
  h.k = heads_of(n, key, bias, 1, k);
  h.v = heads_of(n, value, bias, 2, input_field(2, "value"), h.k);
}

void upgrade(Upgrade& n) {
  for (std::size_t i : {8, 9})
    if (n.has_input(i))
      n.unsupported(fmt::format("input {}", i), "buffers shared with the past are not supported");
  const auto input = [&](std::size_t i) { return n.has_input(i) ? n.node().inputs[i] : nullptr; };
  HeadValues h;
  h.mask = input(4);
  h.mask_name = "key_padding_mask";
  h.bias = input(5);
  h.past_k = input(6);
  h.past_v = input(7);
  n.require(!h.past_k == !h.past_v, "inputs", "past_key and past_value go together");
  read_heads(n, h);
  to_attention(n, h, n.node().outputs);
}

constexpr Op rows[] = {contrib({
    .name = "MultiHeadAttention",
    .inputs = "query:T key:T? value:T? bias:T? key_padding_mask:int32? attention_bias:T? "
              "past_key:T? past_value:T? past_sequence_length:int32? cache_indirection:int32?",
    .outputs = "output:T present_key:T? present_value:T? qk:QK?",
    .types = "T: float float16 bfloat16; QK: float float16 bfloat16",
    .attributes = "num_heads:int! mask_filter_value:float=-10000 scale:float unidirectional:int=0",
    .limits = "past_sequence_length, cache_indirection",
    .upgrade = upgrade,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::multi_head_attention
