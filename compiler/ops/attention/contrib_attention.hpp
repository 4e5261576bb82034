// What the attention operators of com.microsoft share: they become the standard's Attention.
#pragma once

#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops {

// All of [batch, heads, length, width] but `mask`, a mask or the lengths of the keys (int32), and
// `bias`, numbers to add to the scores. Null where there is none.
struct HeadValues {
  Value *q = nullptr, *k = nullptr, *v = nullptr;
  Value *mask = nullptr, *bias = nullptr, *past_k = nullptr, *past_v = nullptr;
  std::string mask_name = "mask_index";
};

// The attribute num_heads.
std::int64_t head_count(const Upgrade& n);

// Input `x` as heads; `part` of the bias, if that is not null, is added. `role` names it in
// messages.
Value* heads_of(Upgrade& n, Value* x, Value* bias, std::int64_t part, const std::string& role);
// Part `slot` of `parts` that are packed behind every head.
Value* packed_heads_of(Upgrade& n, Value* x, Value* bias, std::int64_t part, std::int64_t parts,
                       std::int64_t slot, const std::string& role);

// Makes the node an Attention of these, from its attributes scale, unidirectional and
// mask_filter_value. Its outputs are then: the result as [batch, length, heads * width], the cache
// of keys, that of values, the weights; the last three may be null.
void to_attention(Upgrade& n, const HeadValues& h, std::vector<Value*> outputs);

// From x * weights + bias, [batch, length, q + k + v] and float32 or wider: inputs `mask`, `past`
// (both halves in one) and `bias`, where there are such; outputs are the result and both caches in
// one.
struct JoinedInputs {
  Value* product = nullptr;
  Value* like = nullptr;                     // has the type of the outputs
  std::size_t mask = 0, past = 0, bias = 0;  // 0: there is no such input
};
void to_joined_attention(Upgrade& n, const JoinedInputs& j);

}  // namespace onnxc::ops
