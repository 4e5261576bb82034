// grouped_attention.hpp - attention whose heads share keys and values, over a cache with a length
// of its own for every sequence; rotary embedding rotates the heads.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"
#include "templates/attention/attention.hpp"
#include "templates/attention/grouped_cache.hpp"
#include "templates/attention/grouped_tokens.hpp"

namespace onnxc {

// Caches of keys and values, and the scales of their numbers or null.
template <class C>
struct GroupedCaches {
  const C *k, *v;
  const float *k_scales, *v_scales;
};
template <class C>
GroupedCaches(const C*, const C*, const float*, const float*) -> GroupedCaches<C>;

// What is added to the scores, or null: bias; sinks: [heads], one more score each that takes weight
// and has no value.
template <class T>
struct GroupedScores {
  const T *bias, *sinks;
};
template <class T>
GroupedScores(const T*, const T*) -> GroupedScores<T>;

// Scratch: query: [width], row: [capacity], sum, numbers: [width].
template <class T, class A>
struct GroupedRow {
  T* query;
  A *row, *sum;
  float* numbers;
};
template <class T, class A>
GroupedRow(T*, A*, A*, float*) -> GroupedRow<T, A>;

// One query of one head: the keys that it sees, the row of its bias or null, and its sink, minus
// infinity if there is none.
template <class T, class A>
struct GroupedQuery {
  Index head, begin, end;
  const T* bias;
  A sink;
};

// Scores of a query's keys in scratch.row; returns the largest, of the sink as well.
template <int kBits, class S, class T, class A, class C>
A grouped_scores(const S& s, const GroupedQuery<T, A>& at, const C* k, ColumnScales scales,
                 const GroupedRow<T, A>& scratch) {
  const A scale = static_cast<A>(head_scale(s.scale, s.width));
  A largest = at.sink;
  for (Index j = at.begin; j < at.end; ++j) {
    const auto* key = cache_row<kBits>(k, j, s.width, scales, scratch.numbers);
    A score = dot_product(scratch.query, key, s.width) * scale;
    if (s.softcap > 0.0f) {
      const A cap = static_cast<A>(s.softcap);
      score = cap * std::tanh(score / cap);
    }
    if (at.bias != nullptr) score += static_cast<A>(at.bias[j]);
    scratch.row[j] = score;
    largest = score > largest ? score : largest;
  }
  return largest;
}

// Turns scores into weights, all of them zeros where none is above minus infinity.
template <class T, class A>
void grouped_weights(const GroupedQuery<T, A>& at, A largest, A* row) {
  const A lowest = -std::numeric_limits<A>::infinity();
  A norm = at.sink > lowest ? std::exp(at.sink - largest) : A{};
  for (Index j = at.begin; j < at.end; ++j) norm += row[j] = std::exp(row[j] - largest);
  for (Index j = at.begin; j < at.end; ++j) row[j] = norm != A{} ? row[j] / norm : A{};
}

// A row of the scores' output: zeros for keys that the query does not see.
template <class S, class T, class A>
void store_scores(const S& s, const GroupedQuery<T, A>& at, const A* row, T* scores) {
  for (Index j = 0; j < s.total; ++j)
    scores[j] = j >= at.begin && j < at.end ? static_cast<T>(row[j]) : T{};
}

// One query. y: [width]; scores: [total] or null.
template <int kBits, class S, class T, class A, class C>
void grouped_head(const S& s, const GroupedQuery<T, A>& at, Index b, GroupedCaches<C> caches, T* y,
                  T* scores, const GroupedRow<T, A>& scratch) {
  const Index head = at.head / (s.heads / s.kv_heads);
  const Index cache = (b * s.kv_heads + head) * s.capacity * stored_width<kBits>(s.width);
  const auto scales = [&](const float* all, Index step, Index column) {
    return ColumnScales{kBits > 0 ? all + head * step : nullptr, column};
  };
  const ColumnScales k_scales = scales(caches.k_scales, s.k_scale_head, s.k_scale_column);
  const ColumnScales v_scales = scales(caches.v_scales, s.v_scale_head, s.v_scale_column);
  const A largest = grouped_scores<kBits>(s, at, caches.k + cache, k_scales, scratch);
  if (scores != nullptr && s.raw_scores) store_scores(s, at, scratch.row, scores);
  grouped_weights(at, largest, scratch.row);
  if (scores != nullptr && !s.raw_scores) store_scores(s, at, scratch.row, scores);
  for (Index j = 0; j < s.width; ++j) scratch.sum[j] = A{};
  for (Index j = at.begin; j < at.end; ++j) {
    const auto* value = cache_row<kBits>(caches.v + cache, j, s.width, v_scales, scratch.numbers);
    add_scaled(s.width, scratch.row[j], value, scratch.sum);
  }
  for (Index j = 0; j < s.width; ++j) y[j] = static_cast<T>(scratch.sum[j]);
}

// x with batch_stride and position_stride, its heads `width` apart; caches: [batch, kv_heads,
// capacity, stored_width] each; y: [batch, length, heads, width]; bias: read with its strides, or
// null; sinks may be null (then 0 where `smooth`). scores: [batch, heads, length, total] or null,
// those before the softmax if raw_scores, else the weights. s: as for grouped_cache, heads,
// kv_heads, causal, window (0: none), scale, softcap, smooth, bias_batch, bias_head, bias_row,
// total, raw_scores, and scale_head and scale_column of k and v.
template <int kBits, class S, class T, class C>
Status grouped_attention(S s, const T* x, GroupedCaches<C> caches, GroupedTokens<T> tokens,
                         GroupedScores<T> added, T* y, T* scores,
                         GroupedRow<T, compute_t<T>> scratch) {
  using A = compute_t<T>;
  const Index half = s.rotated / 2;
  for (Index b = 0; b < s.batch; ++b) {
    const GroupedPlace place = grouped_place(s, tokens.last_key, tokens.total, b);
    if (!place.fits()) return Status::bad_value;
    const bool first_run = static_cast<Index>(*tokens.total) == s.length;
    for (Index i = 0; i < s.length; ++i) {
      const Index angles = half > 0 ? angle_row(s, tokens.ids, place.before, first_run, b, i) : 0;
      if (angles < 0) return Status::bad_index;
      const Index seen = place.rows + i + 1;
      const Index end = s.causal && seen < place.keys() ? seen : place.keys();
      const Index begin = s.window > 0 && end > s.window ? end - s.window : 0;
      for (Index h = 0; h < s.heads; ++h, y += s.width) {
        rotate_head(x + b * s.batch_stride + i * s.position_stride + h * s.width,
                    tokens.cosines + angles * half, tokens.sines + angles * half, s.width,
                    s.rotated, s.interleaved, scratch.query);
        const T* const bias = added.bias != nullptr
                                  ? added.bias + b * s.bias_batch + h * s.bias_head + i * s.bias_row
                                  : nullptr;
        const A sink = added.sinks != nullptr ? static_cast<A>(added.sinks[h])
                       : s.smooth             ? A{}
                                              : -std::numeric_limits<A>::infinity();
        T* const row =
            scores != nullptr ? scores + ((b * s.heads + h) * s.length + i) * s.total : nullptr;
        grouped_head<kBits>(s, GroupedQuery<T, A>{h, begin, end, bias, sink}, b, caches, y, row,
                            scratch);
      }
    }
  }
  return Status::ok;
}

}  // namespace onnxc
