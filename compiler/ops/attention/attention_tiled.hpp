// Lowering to the kernels attention_tiled and attention_grad_tiled: their buffers and strides.
#pragma once

#include "compiler/kernels/attention_calls.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

struct AttentionBuffers {
  BufferId q, k, v, y;
  BufferId mask = -1, bool_mask = -1, lengths = -1, positions = -1;  // -1: none
};

// Strides of [batch, heads, group, length, width] in this order, and of [batch, length, hidden],
// whose row stride is `hidden`. The stride of the group axis is 0 where `group` is 1.
Shape head_strides(const Dim& heads, const Dim& group, const Dim& length, const Dim& width);
Shape position_strides(const Dim& group, const Dim& length, const Dim& width, const Dim& hidden);

void lower_attention_tiled(Lower& n, AttentionTiledShape<Dim> a, const AttentionBuffers& b);

// The derivatives: y is that of the result; outputs 0 to 2 are those by q, k and v.
void lower_attention_grad_tiled(Lower& n, AttentionTiledShape<Dim> a, const AttentionBuffers& b);

}  // namespace onnxc::ops
