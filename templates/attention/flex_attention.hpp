// flex_attention.hpp - the three parts of an attention between which a model puts its own
// functions.
#pragma once

#include <cmath>
#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/math.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// q: [batch, q_heads, q_length, width], k: [batch, kv_heads, kv_length, width], scores: [batch,
// q_heads, q_length, kv_length]. Without `scaled` the scale is that of the width.
// s: batch, q_heads, kv_heads, q_length, kv_length, width, scaled, scale.
template <class S, class T, class P>
void flex_scores(S s, const T* q, const T* k, P* scores) {
  using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const Index group = s.q_heads / s.kv_heads;
  const C scale = s.scaled || s.width == 0 ? static_cast<C>(s.scale)
                                           : C{1} / std::sqrt(static_cast<C>(s.width));
  for (Index row = 0; row < s.batch * s.q_heads * s.q_length; ++row) {
    const Index head = row / s.q_length;
    const Index shared = head / s.q_heads * s.kv_heads + head % s.q_heads / group;
    for (Index j = 0; j < s.kv_length; ++j) {
      const T* const key = k + (shared * s.kv_length + j) * s.width;
      C sum = 0;
      for (Index i = 0; i < s.width; ++i)
        sum += static_cast<C>(q[row * s.width + i]) * static_cast<C>(key[i]);
      *scores++ = static_cast<P>(static_cast<compute_t<P>>(sum * scale));
    }
  }
}

// x, y: [rows, columns], may be one; y is the softmax of every row.  s: rows, columns.
template <class S, class P>
void flex_softmax(S s, const P* x, P* y) {
  using C = compute_t<P>;
  for (Index r = 0; r < s.rows; ++r, x += s.columns, y += s.columns) {
    if (s.columns == 0) continue;
    C top = static_cast<C>(x[0]), sum = 0;
    for (Index i = 1; i < s.columns; ++i)
      if (static_cast<C>(x[i]) > top) top = static_cast<C>(x[i]);
    const auto power = [top](P v) -> C {
      if constexpr (std::is_same_v<C, double>)
        return std::exp(static_cast<C>(v) - top);
      else
        return math::exp(static_cast<C>(v) - top);
    };
    for (Index i = 0; i < s.columns; ++i) sum += power(x[i]);
    for (Index i = 0; i < s.columns; ++i) y[i] = static_cast<P>(power(x[i]) / sum);
  }
}

// chances: [batch, q_heads, q_length, kv_length], v: [batch, kv_heads, kv_length, v_width], y:
// [batch, q_heads, q_length, v_width].  s: batch, q_heads, kv_heads, q_length, kv_length, v_width.
template <class S, class P, class T>
void flex_output(S s, const P* chances, const T* v, T* y) {
  using C = std::conditional_t<std::is_same_v<P, double>, double, float>;
  const Index group = s.q_heads / s.kv_heads;
  for (Index row = 0; row < s.batch * s.q_heads * s.q_length; ++row) {
    const Index head = row / s.q_length;
    const Index shared = head / s.q_heads * s.kv_heads + head % s.q_heads / group;
    const P* const weights = chances + row * s.kv_length;
    for (Index i = 0; i < s.v_width; ++i) {
      C sum = 0;
      for (Index j = 0; j < s.kv_length; ++j)
        sum += static_cast<C>(weights[j]) *
               static_cast<C>(v[(shared * s.kv_length + j) * s.v_width + i]);
      *y++ = static_cast<T>(static_cast<compute_t<T>>(sum));
    }
  }
}

}  // namespace onnxc
