// attention_calls.hpp - shapes passed to the kernels of this folder; the members are documented
// with the kernels.
#pragma once

#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

template <class N>
struct AttentionCacheShape {
  N batch, heads, length, past, width;
  bool rank3;
};

template <class N>
struct CheckLengthsShape {
  N count, most;
};

template <class N>
struct AttentionShape {
  N batch, q_heads, kv_heads, q_length, kv_length, past, width, v_width;
  bool rank3, causal;
  N left, right;
  float scale, softcap;
  N mask_batch, mask_head, mask_row, mask_column, mask_length, mode;

  using Members =
      MemberList<&AttentionShape::batch, &AttentionShape::q_heads, &AttentionShape::kv_heads,
                 &AttentionShape::q_length, &AttentionShape::kv_length, &AttentionShape::past,
                 &AttentionShape::width, &AttentionShape::v_width, &AttentionShape::rank3,
                 &AttentionShape::causal, &AttentionShape::left, &AttentionShape::right,
                 &AttentionShape::scale, &AttentionShape::softcap, &AttentionShape::mask_batch,
                 &AttentionShape::mask_head, &AttentionShape::mask_row,
                 &AttentionShape::mask_column, &AttentionShape::mask_length, &AttentionShape::mode>;
};

// Strides are for three batch axes and the rows; keys have one more for their columns.
template <class N>
struct AttentionTiledShape {
  ListOf<N> batch;
  N q_length, kv_length, kv_valid, width, v_width, past = 0, left = -1, right = -1;
  bool causal = false;
  ListOf<N> q_strides, k_strides, v_strides;
  ListOf<N> mask_strides, bool_mask_strides, y_strides;
  N q_offset = 0, k_offset = 0, v_offset = 0, mask_offset = 0, bool_mask_offset = 0;
  float scale = 1, divisor = 1, softcap = 0, masked_value = 0;
  bool mask_keeps = true, zero_fully_masked_rows = false, nan_is_zero = false;

  using Members = MemberList<
      &AttentionTiledShape::batch, &AttentionTiledShape::q_length, &AttentionTiledShape::kv_length,
      &AttentionTiledShape::kv_valid, &AttentionTiledShape::width, &AttentionTiledShape::v_width,
      &AttentionTiledShape::past, &AttentionTiledShape::left, &AttentionTiledShape::right,
      &AttentionTiledShape::causal, &AttentionTiledShape::q_strides,
      &AttentionTiledShape::k_strides, &AttentionTiledShape::v_strides,
      &AttentionTiledShape::mask_strides, &AttentionTiledShape::bool_mask_strides,
      &AttentionTiledShape::y_strides, &AttentionTiledShape::q_offset,
      &AttentionTiledShape::k_offset, &AttentionTiledShape::v_offset,
      &AttentionTiledShape::mask_offset, &AttentionTiledShape::bool_mask_offset,
      &AttentionTiledShape::scale, &AttentionTiledShape::divisor, &AttentionTiledShape::softcap,
      &AttentionTiledShape::masked_value, &AttentionTiledShape::mask_keeps,
      &AttentionTiledShape::zero_fully_masked_rows, &AttentionTiledShape::nan_is_zero>;
};

template <class N>
struct FlexSoftmaxShape {
  N rows, columns;
};

template <class N>
struct GroupedExtentsShape {
  N past, reports;
};

template <class N>
struct GroupedLengthsShape {
  N batch, length, past, capacity, cache_window;
};

template <class N>
struct LinearAttentionShape {
  N batch, length, q_heads, k_heads, kv_heads, width, v_width, decay_width, beta_heads;
  float scale;
};

template <class N>
struct RotaryEmbeddingShape {
  N batch, heads, length, width, rotated, positions;
  bool interleaved, rank3;
};

template <class N>
struct RotaryPositionsShape {
  N batch, heads, length, width, rotated, positions;
  bool interleaved, one_id;
  N batch_stride, head_stride, position_stride;
};

template <class N>
struct SplitHeadsShape {
  N batch, length, heads, parts, part, width, bias_at;
};

template <class N>
struct MaskBiasShape {
  N batch, rows, columns;
  bool ends;
  N starts;
  N mask_at, mask_batch, mask_row;
  float filter;
};

template <class N>
struct TensorScatterShape {
  N batch, rows, capacity, length, inner;
  bool circular;
};

template <class N>
struct FlexSizes {
  N batch, q_heads, kv_heads, q_length, kv_length;
};

template <class N>
struct FlexScoresShape {
  FlexSizes<N> sizes;
  N width;
  bool scaled;
  float scale;
};

template <class N>
struct FlexOutputShape {
  FlexSizes<N> sizes;
  N v_width;
};

template <class N>
struct GroupedSizes {
  N batch, length, past, capacity, width;
  N batch_stride, position_stride;
  N rotated, positions;
  bool interleaved;
  N cache_window;
};

template <class N>
struct GroupedCacheShape {
  N heads, x_at;
  GroupedSizes<N> sizes;
  N scale_head, scale_column;
};

template <class N>
struct GroupedEvictShape {
  N batch, heads, length, past, capacity, cache_window, width;
};

template <class N>
struct GroupedQueriesShape {
  N heads;
  GroupedSizes<N> sizes;
};

template <class N>
struct GroupedScales {
  N k_scale_head, k_scale_column, v_scale_head, v_scale_column;
};

template <class N>
struct QuantizedAttentionShape {
  AttentionTiledShape<N> tiled;
  GroupedScales<N> scales;
};

template <class N>
struct GroupedAttentionShape {
  N heads, kv_heads;
  GroupedSizes<N> sizes;
  bool causal;
  N window;
  float scale, softcap;
  bool smooth;
  N bias_batch, bias_head, bias_row;
  N total;
  bool raw_scores;
  GroupedScales<N> scales;
};

}  // namespace onnxc
