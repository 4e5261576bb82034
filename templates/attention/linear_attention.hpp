// linear_attention.hpp - attention as a recurrence over a matrix per head.
#pragma once

#include <cmath>

#include "runtime_min/half.hpp"
#include "runtime_min/math.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// One head's memory after one token: decayed, then moved towards mapping k to v. `m` is [width,
// v_width], `fresh` [v_width] scratch; g and b may be null.
template <class S, class T>
void linear_attention_update(S s, const T* k, const T* v, const T* g, const T* b, float* m,
                             float* fresh) {
  if (g)
    for (Index i = 0; i < s.width; ++i) {
      const float kept = math::exp(static_cast<float>(g[s.decay_width == 1 ? 0 : i]));
      for (Index j = 0; j < s.v_width; ++j) m[i * s.v_width + j] *= kept;
    }
  for (Index j = 0; j < s.v_width; ++j) fresh[j] = 0;
  if (b) {
    for (Index i = 0; i < s.width; ++i)
      for (Index j = 0; j < s.v_width; ++j)
        fresh[j] += static_cast<float>(k[i]) * m[i * s.v_width + j];
  }
  const float rate = b ? static_cast<float>(*b) : 1.0f;
  for (Index j = 0; j < s.v_width; ++j) fresh[j] = rate * (static_cast<float>(v[j]) - fresh[j]);
  for (Index i = 0; i < s.width; ++i)
    for (Index j = 0; j < s.v_width; ++j)
      m[i * s.v_width + j] += static_cast<float>(k[i]) * fresh[j];
}

// q: [batch, length, q_heads, width], k: [batch, length, k_heads, width], v: [batch, length,
// kv_heads, v_width], past, state: [batch, kv_heads, width, v_width] or null, decay: [batch,
// length, kv_heads, width or 1] or null, beta: [batch, length, kv_heads or 1] or null, y: [batch,
// length, outputs, v_width] with the larger of q_heads and kv_heads as outputs, memory: [(width +
// 1) * v_width] scratch. Where there are fewer queries or keys than states, neighbouring states
// share them. s: batch, length, q_heads, k_heads, kv_heads, width, v_width, decay_width,
// beta_heads, scale (0: that of the width).
template <class S, class T, class U>
void linear_attention(S s, const T* q, const T* k, const T* v, const U* past, const T* decay,
                      const T* beta, T* y, U* state, float* memory) {
  const Index outputs = s.q_heads > s.kv_heads ? s.q_heads : s.kv_heads;
  const Index group = outputs / s.kv_heads, cells = s.width * s.v_width;
  float* const fresh = memory + cells;
  const bool given = s.scale < 0.0f || s.scale > 0.0f || s.width == 0;
  const float scale = given ? s.scale : 1.0f / std::sqrt(static_cast<float>(s.width));
  for (Index row = 0; row < s.batch * s.kv_heads; ++row) {
    const Index batch = row / s.kv_heads, head = row % s.kv_heads;
    for (Index i = 0; i < cells; ++i)
      memory[i] = past ? static_cast<float>(past[row * cells + i]) : 0.0f;
    for (Index t = batch * s.length; t < (batch + 1) * s.length; ++t) {
      const Index at = t * s.kv_heads + head;
      const T* const key = k + (t * s.k_heads + head * s.k_heads / s.kv_heads) * s.width;
      linear_attention_update(s, key, v + at * s.v_width,
                              decay ? decay + at * s.decay_width : nullptr,
                              beta ? beta + (s.beta_heads == 1 ? t : at) : nullptr, memory, fresh);
      for (Index h = head * group; h < (head + 1) * group; ++h) {
        const T* const query = q + (t * s.q_heads + h * s.q_heads / outputs) * s.width;
        for (Index j = 0; j < s.v_width; ++j) fresh[j] = 0;
        for (Index i = 0; i < s.width; ++i)
          for (Index j = 0; j < s.v_width; ++j)
            fresh[j] += static_cast<float>(query[i]) * memory[i * s.v_width + j];
        T* const out = y + (t * outputs + h) * s.v_width;
        for (Index j = 0; j < s.v_width; ++j) out[j] = static_cast<T>(scale * fresh[j]);
      }
    }
    for (Index i = 0; state && i < cells; ++i) state[row * cells + i] = static_cast<U>(memory[i]);
  }
}

}  // namespace onnxc
