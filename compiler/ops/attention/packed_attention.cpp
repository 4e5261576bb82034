// com.microsoft Attention and QAttention: self-attention with the weights of its three projections
// in one matrix.
#include "compiler/ops/attention/contrib_attention.hpp"
#include "compiler/ops/matmul/quantized_product.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::packed_attention {
namespace {

void upgrade(Upgrade& n) {
  if (n.has_input(6))
    n.unsupported("input 6 \"past_sequence_length\"",
                  "buffers shared with the past are not supported");
  const std::vector<Value*> inputs = n.node().inputs;
  Value* product = n.emit("MatMul", {to_float32(n, inputs[0]), to_float32(n, inputs[1])});
  if (n.has_input(2)) product = n.emit("Add", {product, to_float32(n, inputs[2])});
  to_joined_attention(n, {.product = product, .like = inputs[0], .mask = 3, .past = 4, .bias = 5});
}

void upgrade_quantised(Upgrade& n) {
  std::vector<Value*> inputs = n.node().inputs;
  inputs.resize(9, nullptr);
  const QuantizedProduct p{.a = inputs[0],
                           .b = inputs[1],
                           .a_scale = inputs[3],
                           .b_scale = inputs[4],
                           .a_zero = inputs[6],
                           .b_zero = inputs[7],
                           .bias = inputs[2]};
  Value* product = to_float32(n, emit_product(n, p));
  to_joined_attention(n, {.product = product, .like = inputs[2], .mask = 5, .past = 8});
}

constexpr Op rows[] = {
    contrib({
        .name = "Attention",
        .inputs = "input:T weights:T bias:T? mask_index:int32? past:T? attention_bias:T? "
                  "past_sequence_length:int32?",
        .outputs = "output:T present:T?",
        .types = "T: float float16 bfloat16",
        .attributes = "num_heads:int! do_rotary:int=0 mask_filter_value:float=-10000 "
                      "past_present_share_buffer:int=0 qkv_hidden_sizes:ints "
                      "rotary_embedding_dim:int=0 scale:float unidirectional:int=0",
        .limits = "do_rotary, past_present_share_buffer",
        .upgrade = upgrade,
    }),
    contrib({
        .name = "QAttention",
        .inputs = "input:T1 weight:T2 bias:T3 input_scale:T3 weight_scale:T3 mask_index:int32? "
                  "input_zero_point:T1? weight_zero_point:T2? past:T3?",
        .outputs = "output:T3 present:T3?",
        .types = "T1: int8 uint8; T2: int8 uint8; T3: float float16",
        .attributes = "num_heads:int! do_rotary:int=0 mask_filter_value:float=-10000 "
                      "past_present_share_buffer:int=0 scale:float unidirectional:int=0",
        .limits = "do_rotary, past_present_share_buffer",
        .upgrade = upgrade_quantised,
    })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::packed_attention
