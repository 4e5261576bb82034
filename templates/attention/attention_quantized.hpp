// attention_quantized.hpp - float32 attention over caches of integers: each head's keys and values
// become floats once, for all queries that read them.
#pragma once

#include <cstdint>

#include "runtime_min/chunk.hpp"
#include "runtime_min/types.hpp"
#include "templates/attention/attention_tiled.hpp"
#include "templates/attention/grouped_attention.hpp"

namespace onnxc {

// Floats of scratch that attention_quantized needs: keys, values and scores of a head. s: as for
// attention_tiled.
template <class S>
constexpr auto attention_quantized_scratch(const S& s) {
  return s.kv_length * (s.width + s.v_width) + attention_scratch_few(s);
}

// As attention_tiled of keys and values that are dequantised into the scratch. caches: [batch[0],
// batch[1], kv_length, stored_width] each. lengths, positions: [batch[0]]; mask may be null.
// scratch: attention_quantized_scratch(s). s: as for attention_tiled, and scale_head and
// scale_column of k and v. Divisible.
template <int kBits, class S, class C>
void attention_quantized(S s, const float* q, GroupedCaches<C> caches, const float* mask,
                         const std::int64_t* lengths, const std::int64_t* positions, float* y,
                         float* scratch) {
  const Index width = stored_width<kBits>(s.width), sets = head_sets(s);
  float* const keys = scratch;
  float* const values = keys + s.kv_length * s.width;
  float* const scores = values + s.kv_length * s.v_width;
  const Span own = chunk_range(s, s.batch[0] * s.batch[1]);
  for (Index n = own.begin; n < own.end; ++n) {
    const Index head = n % s.batch[1], first = n * s.kv_length * width;
    const ColumnScales k_scales = {caches.k_scales + head * s.k_scale_head, s.k_scale_column};
    const ColumnScales v_scales = {caches.v_scales + head * s.v_scale_head, s.v_scale_column};
    for (Index j = 0; j < static_cast<Index>(lengths[n / s.batch[1]]); ++j) {
      const Index row = first + j * width;
      dequantize_row<kBits>(caches.k + row, s.width, k_scales, keys + j * s.width);
      dequantize_row<kBits>(caches.v + row, s.width, v_scales, values + j * s.width);
    }
    const auto head_of = [&](Index i) {
      AttentionHead h = attention_head(s, i, q, keys, values, mask, nullptr, lengths, positions, y);
      h.k = keys;
      h.v = values;
      return h;
    };
    attention_few_queries(s, Span{n * sets, (n + 1) * sets}, 1, head_of, scores);
  }
}

}  // namespace onnxc
