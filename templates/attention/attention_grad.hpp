// attention_grad.hpp - derivatives of attention, one query at a time. The weights of a query are
// computed again, so that no more than two rows of them are in memory.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "runtime_min/types.hpp"
#include "templates/attention/attention.hpp"
#include "templates/attention/head_scale.hpp"

namespace onnxc {

// Replaces the masked scores of a query, at most `largest`, by the weights of the values.
template <class A>
void attention_weights(Index count, A largest, A* row) {
  constexpr A infinity = std::numeric_limits<A>::infinity();
  A norm{};
  for (Index j = 0; j < count; ++j) {
    row[j] = row[j] != -infinity ? std::exp(row[j] - largest) : A{};
    norm += row[j];
  }
  for (Index j = 0; j < count && norm != A{}; ++j) row[j] /= norm;
}

// Scratch: the weights of a query and the derivatives by them, [kv_length] each.
template <class A>
struct AttentionGradRows {
  A *weights, *slopes;
};
template <class A>
AttentionGradRows(A*, A*) -> AttentionGradRows<A>;

// The derivatives by q, k and v; each may be null.
template <class T>
struct AttentionGrads {
  T *q, *k, *v;
};
template <class T>
AttentionGrads(T*, T*, T*) -> AttentionGrads<T>;

// A query, and its position in each tensor.
template <class T>
struct AttentionGradQuery {
  const T *q, *k, *v, *dy;
  AttentionGrads<T> d;
  Index k_step, v_step;  // from one key to the next
};

template <class S, class T, class M>
void attention_grad_query(const S& s, const AttentionQuery& at, const AttentionGradQuery<T>& x,
                          T scale, const M* mask, AttentionGradRows<T> row) {
  const Index count = s.kv_length;
  const auto key = [&](Index j) { return x.k + j * x.k_step; };
  T* const none = nullptr;
  const T largest = attention_scores(s, at, x.q, key, scale, mask, none, row.weights);
  attention_weights(count, largest, row.weights);
  T mean{};
  for (Index j = 0; j < count; ++j) {
    if (row.weights[j] == T{}) continue;
    row.slopes[j] = dot_product(x.dy, x.v + j * x.v_step, s.v_width);
    mean += row.weights[j] * row.slopes[j];
  }
  for (Index j = 0; j < count; ++j) {
    const T weight = row.weights[j];
    if (weight == T{}) continue;
    const T slope = weight * (row.slopes[j] - mean) * scale;
    if (x.d.q != nullptr) add_scaled(s.width, slope, key(j), x.d.q);
    if (x.d.k != nullptr) add_scaled(s.width, slope, x.q, x.d.k + j * x.k_step);
    if (x.d.v != nullptr) add_scaled(s.v_width, weight, x.dy, x.d.v + j * x.v_step);
  }
}

template <class T>
void fill_zeros(T* x, Index count) {
  for (Index i = 0; x != nullptr && i < count; ++i) x[i] = T{};
}

// The derivatives of attention without a cache and a cap: by q, k and v in d, given that by its
// result in dy. lengths: as for attention, or null. s: as for attention; past is 0.
template <class S, class T, class M>
Status attention_grad(S s, const T* q, const T* k, const T* v, const M* mask,
                      const std::int64_t* lengths, const T* dy, AttentionGrads<T> d,
                      AttentionGradRows<T> scratch) {
  const T scale = static_cast<T>(head_scale(s.scale, s.width));
  const HeadStrides qs = head_strides(s.q_heads, s.q_length, s.width, s.rank3);
  const HeadStrides ks = head_strides(s.kv_heads, s.kv_length, s.width, s.rank3);
  const HeadStrides vs = head_strides(s.kv_heads, s.kv_length, s.v_width, s.rank3);
  const HeadStrides ys = head_strides(s.q_heads, s.q_length, s.v_width, s.rank3);
  fill_zeros(d.q, s.batch * qs.batch);
  fill_zeros(d.k, s.batch * ks.batch);
  fill_zeros(d.v, s.batch * vs.batch);
  const auto part = [](auto* x, Index offset) { return x != nullptr ? x + offset : x; };
  for (Index b = 0; b < s.batch; ++b) {
    const Index valid = lengths != nullptr ? static_cast<Index>(lengths[b]) : s.kv_length;
    if (valid < 0 || valid > s.kv_length) return Status::bad_value;
    const Index offset = lengths != nullptr ? valid - s.q_length : 0;
    for (Index h = 0; h < s.q_heads; ++h) {
      const Index g = h / (s.q_heads / s.kv_heads);
      const Index k_at = b * ks.batch + g * ks.head, v_at = b * vs.batch + g * vs.head;
      for (Index i = 0; i < s.q_length; ++i) {
        const Index q_at = b * qs.batch + h * qs.head + i * qs.position;
        const Index y_at = b * ys.batch + h * ys.head + i * ys.position;
        const AttentionGrads<T> own{part(d.q, q_at), part(d.k, k_at), part(d.v, v_at)};
        attention_grad_query(s, AttentionQuery{b, h, i, valid, offset},
                             AttentionGradQuery<T>{q + q_at, k + k_at, v + v_at, dy + y_at, own,
                                                   ks.position, vs.position},
                             scale, mask, scratch);
      }
    }
  }
  return Status::ok;
}

}  // namespace onnxc
