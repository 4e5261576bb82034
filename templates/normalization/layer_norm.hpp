// layer_norm.hpp - LayerNormalization and RMSNormalization of float rows.
#pragma once

#include <cmath>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

// The sum of f over a row; four sums keep rounding errors and the latency of additions small.
template <class F>
[[gnu::always_inline]] inline float row_sum(const float* x, Index count, F f) {
  vfloat sum[4] = {};
  float rest = 0.0f;
  const Index blocks = count / (4 * kLanes);
  for (Index block = 0; block < blocks; ++block, x += 4 * kLanes) {
#pragma GCC unroll 4
    for (int u = 0; u < 4; ++u) sum[u] += f(load(x + u * kLanes));
  }
  for_lanes(count % (4 * kLanes), [&](Index i, auto lane) {
    using V = decltype(lane);
    if constexpr (lanes<V> == kLanes) {
      sum[0] += f(load<V>(x + i));
    } else {
      rest += f(x[i]);
    }
  });
  return horizontal_sum((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

// The offset and the factor of a row.
struct RowMoments {
  float mean, factor;
};

// CENTRED: about the mean (LayerNormalization), else about zero (RMSNormalization).
template <bool CENTRED>
[[gnu::noinline]] RowMoments row_moments(const float* x, Index count, float epsilon) {
  const float n = static_cast<float>(count);
  const float mean = CENTRED ? row_sum(x, count, [](auto v) { return v; }) / n : 0.0f;
  const float squares = row_sum(x, count, [&](auto v) { return (v - mean) * (v - mean); });
  return {mean, 1.0f / std::sqrt(squares / n + epsilon)};
}

template <bool CENTRED, class S, class Epilogue>
void normalize_rows(const S& s, const float* x, const float* scale, const float* bias, float* y,
                    Epilogue& epilogue) {
  if (s.size == 0) return;
  const Span own = chunk_range(s, s.rows);
  for (Index r = own.begin; r < own.end; ++r) {
    const Index at = r * s.size;
    const RowMoments m = row_moments<CENTRED>(x + at, s.size, s.epsilon);
    for_lanes(s.size, [&](Index i, auto lane) {
      using V = decltype(lane);
      V v = (load<V>(x + at + i) - m.mean) * m.factor;
      if (scale != nullptr) v = v * load<V>(scale + i);
      if (bias != nullptr) v = v + load<V>(bias + i);
      store(y + at + i, epilogue(v, at + i, i));
    });
  }
}

// x, y: [rows, size], the same memory or not overlapping.  scale, bias: [size] or null.  s: rows,
// size, epsilon. Divisible.
template <class S, class Epilogue = NoEpilogue>
void layer_norm(S s, const float* x, const float* scale, const float* bias, float* y,
                Epilogue epilogue = {}) {
  normalize_rows<true>(s, x, scale, bias, y, epilogue);
}

// The same without subtracting the mean.
template <class S, class Epilogue = NoEpilogue>
void rms_norm(S s, const float* x, const float* scale, const float* bias, float* y,
              Epilogue epilogue = {}) {
  normalize_rows<false>(s, x, scale, bias, y, epilogue);
}

}  // namespace onnxc
