// Shared by the attention operators of com.microsoft, which become the standard's Attention.
#pragma once

#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops {

// Values of shape [batch, heads, length, width], except `mask` (a mask, or the lengths of the keys,
// int32) and `bias`, which is added to the scores. Null where left out.
struct HeadValues {
  Value *q = nullptr, *k = nullptr, *v = nullptr;
  Value *mask = nullptr, *bias = nullptr, *past_k = nullptr, *past_v = nullptr;
  std::string mask_name = "mask_index";
};

// The attribute num_heads.
std::int64_t head_count(const Upgrade& n);

// Input `x` as heads; `part` (0 q, 1 k, 2 v) of `bias` is added unless it is null. `role` names the
// input in messages. `keys`: heads of the keys, by which a bias is as long as q, k and v together.
Value* heads_of(Upgrade& n, Value* x, Value* bias, std::int64_t part, const std::string& role,
                Value* keys = nullptr);
// Slice `slot` of the `parts` that are packed in every head.
Value* packed_heads_of(Upgrade& n, Value* x, Value* bias, std::int64_t part, std::int64_t parts,
                       std::int64_t slot, const std::string& role);

// Makes the node an Attention of these values, from its attributes scale, unidirectional and
// mask_filter_value. The outputs become the result as [batch, length, heads * width], the cache of
// keys, the cache of values and the weights; the last three may be null.
void to_attention(Upgrade& n, const HeadValues& h, std::vector<Value*> outputs);

// As above, from x * weights + bias of shape [batch, length, q + k + v], float32 or wider. `mask`,
// `past` (keys and values in one tensor) and `bias` are indices of inputs. The outputs are the
// result and both caches in one tensor.
struct JoinedInputs {
  Value* product = nullptr;
  Value* like = nullptr;                     // gives the type of the outputs
  std::size_t mask = 0, past = 0, bias = 0;  // 0: no such input
};
void to_joined_attention(Upgrade& n, const JoinedInputs& j);

}  // namespace onnxc::ops
