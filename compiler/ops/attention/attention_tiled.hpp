// Lowering to the kernel attention_tiled: its shape struct, buffers and strides.
#pragma once

#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// Members of the shape struct. Strides are for three batch axes and the rows; keys have one more
// for their columns. See templates/attention/attention_tiled.hpp.
struct AttentionTiled {
  Shape batch;  // three
  Dim q_length, kv_length, kv_valid, width, v_width, past = 0, left = -1, right = -1;
  bool causal = false, mask_keeps = true, zero_fully_masked_rows = false, nan_is_zero = false;
  Shape q, k, v, y, mask = Shape(4, Dim(0)), bool_mask = Shape(4, Dim(0));
  Dim q_offset = 0, k_offset = 0, v_offset = 0, mask_offset = 0, bool_mask_offset = 0;
  float scale = 1, divisor = 1, softcap = 0, masked_value = 0;
};

struct AttentionBuffers {
  BufferId q, k, v, y;
  BufferId mask = -1, bool_mask = -1, lengths = -1, positions = -1;  // -1: none
};

// Strides of [batch, heads, group, length, width] in this order, and of [batch, length, hidden],
// whose row stride is `hidden`. The stride of the group axis is 0 where `group` is 1.
Shape head_strides(const Dim& heads, const Dim& group, const Dim& length, const Dim& width);
Shape position_strides(const Dim& group, const Dim& length, const Dim& width, const Dim& hidden);

void lower_attention_tiled(Lower& n, const AttentionTiled& a, const AttentionBuffers& b);

}  // namespace onnxc::ops
