// attention.hpp - scaled dot products of queries and keys, masked, through softmax, as weights of
// the values.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/attention/head_scale.hpp"

namespace onnxc {

// Where head h of sequence position i of batch b starts: [batch, heads, length, width], or with
// rank 3 [batch, length, heads * width].
struct HeadStrides {
  Index batch, head, position;
};
constexpr HeadStrides head_strides(Index heads, Index length, Index width, bool rank3) {
  return rank3 ? HeadStrides{length * heads * width, width, heads * width}
               : HeadStrides{heads * length * width, length * width, width};
}

template <class T, class U>
compute_t<T> dot_product(const T* a, const U* b, Index count) {
  using A = compute_t<T>;
  if constexpr (std::is_same_v<T, float> && std::is_same_v<U, float>) {
    vfloat total{};
    float rest = 0;
    for_lanes(count, [&](Index i, auto v) {
      using V = decltype(v);
      const V product = load<V>(a + i) * load<V>(b + i);
      if constexpr (std::is_same_v<V, vfloat>) {
        total += product;
      } else {
        rest += product;
      }
    });
    return horizontal_sum(total) + rest;
  } else {
    A sum{};
    for (Index i = 0; i < count; ++i) sum += static_cast<A>(a[i]) * static_cast<A>(b[i]);
    return sum;
  }
}

// y += weight * v
template <class T, class A>
void add_scaled(Index count, A weight, const T* v, A* y) {
  if constexpr (std::is_same_v<T, float>) {
    for_lanes(count, [&](Index i, auto zero) {
      using V = decltype(zero);
      store(y + i, load<V>(y + i) + load<V>(v + i) * weight);
    });
  } else {
    for (Index i = 0; i < count; ++i) y[i] += weight * static_cast<A>(v[i]);
  }
}

// One query: its position and what it may attend to.
struct AttentionQuery {
  Index batch, head, position;
  Index valid, offset;  // keys that count, and the position of query 0 among them
};

// What is added to the score of key j; minus infinity where the query must not attend to it.
template <class A, class S, class M>
[[gnu::always_inline]] inline A attention_bias(const S& s, const AttentionQuery& at, const M* mask,
                                               Index j) {
  constexpr A infinity = std::numeric_limits<A>::infinity();
  const Index distance = j - (at.position + at.offset);
  if (j >= at.valid || (s.causal && distance > 0) || (s.left >= 0 && -distance > s.left) ||
      (s.right >= 0 && distance > s.right))
    return -infinity;
  if (mask == nullptr) return A{};
  if (j >= s.mask_length) return -infinity;
  const M m = mask[at.batch * s.mask_batch + at.head * s.mask_head + at.position * s.mask_row +
                   j * s.mask_column];
  if constexpr (std::is_same_v<M, bool>) {
    return m ? A{} : -infinity;
  } else {
    return static_cast<A>(static_cast<compute_t<M>>(m));
  }
}

// row: [past + kv_length], the masked scores of a query with every key(j). Returns the largest.
// scores: the output of the kind that s.mode selects, or null.
template <class S, class T, class M, class A, class Key>
[[gnu::always_inline]] inline A attention_scores(const S& s, const AttentionQuery& at,
                                                 const T* query, Key key, A scale, const M* mask,
                                                 T* scores, A* row) {
  constexpr A infinity = std::numeric_limits<A>::infinity();
  A largest = -infinity;
  for (Index j = 0; j < s.past + s.kv_length; ++j) {
    A score = dot_product(query, key(j), s.width) * scale;
    if (scores != nullptr && s.mode == 0) scores[j] = static_cast<T>(score);
    if (s.softcap > 0.0f) {
      const A cap = static_cast<A>(s.softcap);
      score = cap * std::tanh(score / cap);
    }
    if (scores != nullptr && s.mode == 1) scores[j] = static_cast<T>(score);
    const A bias = attention_bias<A>(s, at, mask, j);
    row[j] = bias == -infinity ? -infinity : score + bias;
    if (scores != nullptr && s.mode == 2) scores[j] = static_cast<T>(row[j]);
    largest = row[j] > largest ? row[j] : largest;
  }
  return largest;
}

// sum: [v_width], every value(j) weighted by the softmax of row. A query that attends to no key
// gets zeros.
template <class S, class T, class A, class Value>
[[gnu::always_inline]] inline void attention_values(const S& s, Value value, A largest, T* scores,
                                                    A* row, A* sum) {
  constexpr A infinity = std::numeric_limits<A>::infinity();
  const Index total = s.past + s.kv_length;
  A norm{};
  for (Index j = 0; j < total; ++j) {
    row[j] = row[j] != -infinity ? std::exp(row[j] - largest) : A{};
    norm += row[j];
  }
  for (Index j = 0; j < s.v_width; ++j) sum[j] = A{};
  for (Index j = 0; j < total; ++j) {
    const A weight = norm != A{} ? row[j] / norm : A{};
    if (scores != nullptr && s.mode == 3) scores[j] = static_cast<T>(weight);
    if (weight != A{}) add_scaled(s.v_width, weight, value(j), sum);
  }
}

// Keys and values before those of this call: [batch, kv_heads, past, ...], and how many of all keys
// count: [batch]. Each may be null.
template <class T, class V>
struct AttentionPast {
  const T* k;
  const V* v;
  const std::int64_t* lengths;
};
template <class T, class V>
AttentionPast(const T*, const V*, const std::int64_t*) -> AttentionPast<T, V>;

// Scratch: row: [past + kv_length], sum: [v_width].
template <class A>
struct AttentionRow {
  A *row, *sum;
};
template <class A>
AttentionRow(A*, A*) -> AttentionRow<A>;

// q: [batch, q_heads, q_length, width], k: [batch, kv_heads, kv_length, width], v: [.., v_width],
// or the rank 3 forms; mask: bool (false: minus infinity) or values to add, read with the mask
// strides in its first mask_length columns, minus infinity after them. y like q with v_width;
// scores: [batch, q_heads, q_length, past + kv_length]. mask and scores may be null. s: batch,
// q_heads, kv_heads, q_length, kv_length, past, width, v_width, rank3, causal, left, right (-1:
// unbounded),
//    scale, softcap, mask_batch, mask_head, mask_row, mask_column, mask_length, mode (what scores
//    get: 0 products, 1 capped, 2 masked, 3 weights).
template <class S, class T, class V, class M>
Status attention(S s, const T* q, const T* k, const V* v, const M* mask, AttentionPast<T, V> past,
                 T* y, T* scores, AttentionRow<compute_t<T>> scratch) {
  using A = compute_t<T>;
  const Index total = s.past + s.kv_length;
  const A scale = static_cast<A>(head_scale(s.scale, s.width));
  const HeadStrides qs = head_strides(s.q_heads, s.q_length, s.width, s.rank3);
  const HeadStrides ks = head_strides(s.kv_heads, s.kv_length, s.width, s.rank3);
  const HeadStrides vs = head_strides(s.kv_heads, s.kv_length, s.v_width, s.rank3);
  const HeadStrides ys = head_strides(s.q_heads, s.q_length, s.v_width, s.rank3);
  for (Index b = 0; b < s.batch; ++b) {
    if (past.lengths != nullptr && (past.lengths[b] < 0 || past.lengths[b] > total))
      return Status::bad_value;
    const Index valid = past.lengths != nullptr ? static_cast<Index>(past.lengths[b]) : total;
    const Index offset = past.k == nullptr && past.lengths != nullptr ? valid - s.q_length : s.past;
    for (Index h = 0; h < s.q_heads; ++h) {
      const Index g = h / (s.q_heads / s.kv_heads);
      const auto key = [&](Index j) {
        return j < s.past ? past.k + ((b * s.kv_heads + g) * s.past + j) * s.width
                          : k + b * ks.batch + g * ks.head + (j - s.past) * ks.position;
      };
      const auto value = [&](Index j) {
        return j < s.past ? past.v + ((b * s.kv_heads + g) * s.past + j) * s.v_width
                          : v + b * vs.batch + g * vs.head + (j - s.past) * vs.position;
      };
      for (Index i = 0; i < s.q_length; ++i) {
        const T* query = q + b * qs.batch + h * qs.head + i * qs.position;
        T* own_scores =
            scores != nullptr ? scores + ((b * s.q_heads + h) * s.q_length + i) * total : nullptr;
        const AttentionQuery at = {b, h, i, valid, offset};
        const A largest = attention_scores(s, at, query, key, scale, mask, own_scores, scratch.row);
        attention_values(s, value, largest, own_scores, scratch.row, scratch.sum);
        T* out = y + b * ys.batch + h * ys.head + i * ys.position;
        for (Index j = 0; j < s.v_width; ++j) out[j] = static_cast<T>(scratch.sum[j]);
      }
    }
  }
  return Status::ok;
}

// Whether all of lengths [count] are from 0 to `most`. s: count, most.
template <class S>
Status check_lengths(S s, const std::int64_t* lengths) {
  for (Index i = 0; i < s.count; ++i)
    if (lengths[i] < 0 || lengths[i] > s.most) return Status::bad_value;
  return Status::ok;
}

// y: [batch, heads, past + length, width] of the cache followed by the new entries. past may be
// null when s.past is 0. s: batch, heads, length, past, width, rank3.
template <class S, class T>
void attention_cache(S s, const T* past, const T* x, T* y) {
  const HeadStrides strides = head_strides(s.heads, s.length, s.width, s.rank3);
  for (Index b = 0; b < s.batch; ++b) {
    for (Index h = 0; h < s.heads; ++h) {
      for (Index i = 0; i < s.past * s.width; ++i) *y++ = *past++;
      for (Index i = 0; i < s.length; ++i) {
        const T* from = x + b * strides.batch + h * strides.head + i * strides.position;
        for (Index j = 0; j < s.width; ++j) *y++ = from[j];
      }
    }
  }
}

// Rotates pairs of the first `rotated` elements of every head by the angles of its position.
// cosines, sines: [positions, rotated / 2] picked by ids: [batch, length], or [batch, length,
// rotated / 2] when ids is null. s: batch, heads, length, width, rotated, positions, interleaved,
// rank3.
template <class S, class T>
Status rotary_embedding(S s, const T* x, const T* cosines, const T* sines, const std::int64_t* ids,
                        T* y) {
  using A = compute_t<T>;
  const HeadStrides strides = head_strides(s.heads, s.length, s.width, s.rank3);
  const Index half = s.rotated / 2;
  for (Index b = 0; b < s.batch; ++b) {
    for (Index i = 0; i < s.length; ++i) {
      Index row = b * s.length + i;
      if (ids != nullptr) {
        if (ids[row] < 0 || ids[row] >= s.positions) return Status::bad_index;
        row = static_cast<Index>(ids[row]);
      }
      for (Index h = 0; h < s.heads; ++h) {
        const Index start = b * strides.batch + h * strides.head + i * strides.position;
        for (Index j = 0; j < half; ++j) {
          const Index first = start + (s.interleaved ? 2 * j : j),
                      second = first + (s.interleaved ? 1 : half);
          const A c = static_cast<A>(cosines[row * half + j]),
                  w = static_cast<A>(sines[row * half + j]);
          const A p = static_cast<A>(x[first]), r = static_cast<A>(x[second]);
          y[first] = static_cast<T>(c * p - w * r);
          y[second] = static_cast<T>(w * p + c * r);
        }
        for (Index j = s.rotated; j < s.width; ++j) y[start + j] = x[start + j];
      }
    }
  }
  return Status::ok;
}

}  // namespace onnxc
