// grouped_attention.hpp - attention whose heads share keys and values, over a cache with a length
// of its own for every sequence; rotary embedding rotates the heads.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"
#include "templates/attention/attention.hpp"

namespace onnxc {

// Turns pairs of the first `rotated` of `width` elements by the angles whose cosines and sines are
// given, [rotated / 2] each.
template <class T>
void rotate_head(const T* x, const T* cosines, const T* sines, Index width, Index rotated,
                 bool interleaved, T* y) {
  using A = compute_t<T>;
  const Index half = rotated / 2;
  for (Index j = 0; j < half; ++j) {
    const Index first = interleaved ? 2 * j : j, second = first + (interleaved ? 1 : half);
    const A c = static_cast<A>(cosines[j]), w = static_cast<A>(sines[j]);
    const A p = static_cast<A>(x[first]), r = static_cast<A>(x[second]);
    y[first] = static_cast<T>(c * p - w * r);
    y[second] = static_cast<T>(w * p + c * r);
  }
  for (Index j = rotated; j < width; ++j) y[j] = x[j];
}

// x, y: the strides batch_stride, head_stride, position_stride. ids: one position each, or the
// first one's where `one_id`. s: batch, heads, length, width, rotated, positions, interleaved,
// one_id, batch_stride, head_stride, position_stride.
template <class S, class T>
Status rotary_positions(S s, const T* x, const std::int64_t* ids, const T* cosines, const T* sines,
                        T* y) {
  const Index half = s.rotated / 2;
  for (Index b = 0; b < s.batch; ++b) {
    for (Index i = 0; i < s.length; ++i) {
      const std::int64_t id = s.one_id ? ids[0] : ids[b * s.length + i];
      if (id < 0 || id >= s.positions) return Status::bad_index;
      const Index row = static_cast<Index>(id) + (s.one_id ? i : 0);
      if (row >= s.positions) return Status::bad_index;
      for (Index h = 0; h < s.heads; ++h) {
        const Index at = b * s.batch_stride + h * s.head_stride + i * s.position_stride;
        rotate_head(x + at, cosines + row * half, sines + row * half, s.width, s.rotated,
                    s.interleaved, y + at);
      }
    }
  }
  return Status::ok;
}

// How many keys sequence b had before this run; -1 for lengths that do not fit. In the first run,
// whose queries are all there is, there are none.
template <class S>
Index keys_before(const S& s, const std::int32_t* last_key, const std::int32_t* total, Index b) {
  if (last_key[b] < -1 || last_key[b] >= s.capacity || *total < 0 || *total > s.capacity) return -1;
  const Index keys = static_cast<Index>(last_key[b]) + 1;
  if (static_cast<Index>(*total) == s.length) return 0;
  return keys >= s.length && keys - s.length <= s.past ? keys - s.length : -1;
}

// The row of the table of angles for position i of sequence b, -1 outside of it.
template <class S>
Index angle_row(const S& s, const std::int64_t* ids, Index before, bool first_run, Index b,
                Index i) {
  std::int64_t id = before + i;
  if (ids != nullptr) id = first_run ? ids[0] + i : ids[b * s.length + i];
  return id >= 0 && id < s.positions ? static_cast<Index>(id) : -1;
}

// The larger of the capacity there was and the total length. s: past.
template <class S>
Status grouped_extents(S s, const std::int32_t* total, Index* extents) {
  if (*total < 0) return Status::bad_value;
  for (Index i = 0; i < s.reports; ++i)
    extents[i] = static_cast<Index>(*total) > s.past ? static_cast<Index>(*total) : s.past;
  return Status::ok;
}

// Where the new tokens of every sequence stand: the last key [batch] and the total length as the
// operator is given them, tables of angles, and the rows of them that the tokens take, or null.
template <class T>
struct GroupedTokens {
  const std::int32_t *last_key, *total;
  const T *cosines, *sines;
  const std::int64_t* ids;
};
template <class T>
GroupedTokens(const std::int32_t*, const std::int32_t*, const T*, const T*, const std::int64_t*)
    -> GroupedTokens<T>;

// Scratch: query: [width], row: [capacity], sum: [width].
template <class T, class A>
struct GroupedRow {
  T* query;
  A *row, *sum;
};
template <class T, class A>
GroupedRow(T*, A*, A*) -> GroupedRow<T, A>;

// The cache after this run, y: [batch, heads, capacity, width]: what past: [batch, heads, past,
// width] holds, then x, rotated if there are angles, then zeros. x starts x_at elements on, has
// batch_stride and position_stride, its heads lie `width` apart. past may be y where it is as long.
// s: batch, heads, length, past, capacity, width, x_at, batch_stride, position_stride, rotated,
// positions, interleaved.
template <class S, class T>
Status grouped_cache(S s, const T* x, const T* past, GroupedTokens<T> tokens, T* y) {
  const Index half = s.rotated / 2;
  for (Index b = 0; b < s.batch; ++b) {
    const Index before = keys_before(s, tokens.last_key, tokens.total, b);
    if (before < 0 || before + s.length > s.capacity) return Status::bad_value;
    const bool first_run = static_cast<Index>(*tokens.total) == s.length;
    for (Index h = 0; h < s.heads; ++h) {
      T* out = y + (b * s.heads + h) * s.capacity * s.width;
      const T* old = past + (b * s.heads + h) * s.past * s.width;
      if (out != old)
        for (Index j = 0; j < before * s.width; ++j) out[j] = old[j];
      out += before * s.width;
      for (Index i = 0; i < s.length; ++i, out += s.width) {
        const T* from = x + s.x_at + b * s.batch_stride + i * s.position_stride + h * s.width;
        const Index row = half > 0 ? angle_row(s, tokens.ids, before, first_run, b, i) : 0;
        if (row < 0) return Status::bad_index;
        rotate_head(from, tokens.cosines + row * half, tokens.sines + row * half, s.width,
                    s.rotated, s.interleaved, out);
      }
      for (Index j = (before + s.length) * s.width; j < s.capacity * s.width; ++j) *out++ = T{};
    }
  }
  return Status::ok;
}

// How many keys each sequence has, and the position of its first query: lengths, positions [batch].
// s: batch, length, past, capacity.
template <class S>
Status grouped_lengths(S s, const std::int32_t* last_key, const std::int32_t* total,
                       std::int64_t* lengths, std::int64_t* positions) {
  for (Index b = 0; b < s.batch; ++b) {
    const Index before = keys_before(s, last_key, total, b);
    if (before < 0 || before + s.length > s.capacity) return Status::bad_value;
    lengths[b] = last_key[b] + 1;
    positions[b] = before;
  }
  return Status::ok;
}

// The queries rotated by the angles of their positions, y: [batch, length, heads, width]. s: as of
// grouped_cache.
template <class S, class T>
Status grouped_queries(S s, const T* x, GroupedTokens<T> tokens, T* y) {
  const Index half = s.rotated / 2;
  for (Index b = 0; b < s.batch; ++b) {
    const Index before = keys_before(s, tokens.last_key, tokens.total, b);
    if (before < 0) return Status::bad_value;
    const bool first_run = static_cast<Index>(*tokens.total) == s.length;
    for (Index i = 0; i < s.length; ++i) {
      const Index row = angle_row(s, tokens.ids, before, first_run, b, i);
      if (row < 0) return Status::bad_index;
      for (Index h = 0; h < s.heads; ++h, y += s.width)
        rotate_head(x + b * s.batch_stride + i * s.position_stride + h * s.width,
                    tokens.cosines + row * half, tokens.sines + row * half, s.width, s.rotated,
                    s.interleaved, y);
    }
  }
  return Status::ok;
}

// x with batch_stride and position_stride; k, v: [batch, kv_heads, capacity, width]; y: [batch,
// length, heads, width]. bias: read with its strides, or null; sinks: [heads], one more score each
// that takes weight and has no value, or null (then 0 where `smooth`). s: as of grouped_cache,
// kv_heads, causal, window (0: none), scale, softcap, smooth, bias_batch, bias_head, bias_row.
template <class S, class T>
Status grouped_attention(S s, const T* x, const T* k, const T* v, GroupedTokens<T> tokens,
                         const T* bias, const T* sinks, T* y, GroupedRow<T, compute_t<T>> scratch) {
  using A = compute_t<T>;
  const A scale = static_cast<A>(head_scale(s.scale, s.width));
  const Index half = s.rotated / 2, group = s.heads / s.kv_heads;
  for (Index b = 0; b < s.batch; ++b) {
    const Index before = keys_before(s, tokens.last_key, tokens.total, b);
    if (before < 0 || before + s.length > s.capacity) return Status::bad_value;
    const bool first_run = static_cast<Index>(*tokens.total) == s.length;
    for (Index i = 0; i < s.length; ++i) {
      const Index angles = half > 0 ? angle_row(s, tokens.ids, before, first_run, b, i) : 0;
      if (angles < 0) return Status::bad_index;
      const Index keys = static_cast<Index>(tokens.last_key[b]) + 1;
      const Index end = s.causal && before + i + 1 < keys ? before + i + 1 : keys;
      const Index begin = s.window > 0 && end > s.window ? end - s.window : 0;
      for (Index h = 0; h < s.heads; ++h) {
        rotate_head(x + b * s.batch_stride + i * s.position_stride + h * s.width,
                    tokens.cosines + angles * half, tokens.sines + angles * half, s.width,
                    s.rotated, s.interleaved, scratch.query);
        const Index cache = (b * s.kv_heads + h / group) * s.capacity * s.width;
        const T* shift =
            bias != nullptr ? bias + b * s.bias_batch + h * s.bias_head + i * s.bias_row : nullptr;
        const bool sinking = sinks != nullptr || s.smooth;
        const A sink = sinks != nullptr ? static_cast<A>(sinks[h]) : A{};
        A largest = sinking ? sink : -std::numeric_limits<A>::infinity();
        for (Index j = begin; j < end; ++j) {
          A score = dot_product(scratch.query, k + cache + j * s.width, s.width) * scale;
          if (s.softcap > 0.0f) {
            const A cap = static_cast<A>(s.softcap);
            score = cap * std::tanh(score / cap);
          }
          if (shift != nullptr) score += static_cast<A>(shift[j]);
          scratch.row[j] = score;
          largest = score > largest ? score : largest;
        }
        A norm = sinking ? std::exp(sink - largest) : A{};
        for (Index j = begin; j < end; ++j)
          norm += scratch.row[j] = std::exp(scratch.row[j] - largest);
        for (Index j = 0; j < s.width; ++j) scratch.sum[j] = A{};
        for (Index j = begin; j < end && norm != A{}; ++j)
          add_scaled(s.width, scratch.row[j] / norm, v + cache + j * s.width, scratch.sum);
        for (Index j = 0; j < s.width; ++j) *y++ = static_cast<T>(scratch.sum[j]);
      }
    }
  }
  return Status::ok;
}

}  // namespace onnxc
