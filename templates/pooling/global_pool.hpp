// global_pool.hpp - mean, largest element or p-norm over the spatial axes.
#pragma once

#include <cmath>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

struct SumTerm {
  template <class V>
  V operator()(V total, V x) const {
    return total + x;
  }
};

struct MaxTerm {
  template <class V>
  V operator()(V total, V x) const {
    if constexpr (std::is_same_v<V, vfloat> || std::is_same_v<V, float>) {
      return max(total, x);
    } else {
      return total > x || total != total ? total : x;
    }
  }
};

// Combines `count` elements `step` apart, starting with the first; count > 0.
template <class Term, class T>
compute_t<T> combine_strided(Index count, Index step, const T* x, Term term) {
  using A = compute_t<T>;
  A total = static_cast<A>(x[0]);
  for (Index i = 1; i < count; ++i) total = term(total, static_cast<A>(x[i * step]));
  return total;
}

// The same for consecutive floats, a vector at a time.
template <class Term>
float combine_row(Index count, const float* x, Term term) {
  if (count < kLanes) return combine_strided(count, 1, x, term);
  vfloat sum = load(x);
  Index i = kLanes;
  for (; i + kLanes <= count; i += kLanes) sum = term(sum, load(x + i));
  float total = reduce(sum, term);
  for (; i < count; ++i) total = term(total, x[i]);
  return total;
}

// Calls store(at, channel, combined) for every output. s: batch, channels, positions,
// channels_last. Divisible.
template <class Term, class S, class T, class Store>
void combine_positions(const S& s, const T* x, Term term, Store put) {
  const Span own = chunk_range(s, s.channels, kLanes);
  for (Index n = 0; n < s.batch; ++n) {
    const T* xn = x + n * s.channels * s.positions;
    Index c = own.begin;
    if constexpr (std::is_same_v<T, float>) {
      if (!s.channels_last) {
        for (; c < own.end; ++c)
          put(n * s.channels + c, c, combine_row(s.positions, xn + c * s.positions, term));
        continue;
      }
      for (; c + kLanes <= own.end; c += kLanes) {
        vfloat total = load(xn + c);
        for (Index p = 1; p < s.positions; ++p) total = term(total, load(xn + p * s.channels + c));
        constexpr std::size_t width = kLanes;
        float lanes_of[width];
        store(lanes_of, total);
        for (int i = 0; i < kLanes; ++i) put(n * s.channels + c + i, c + i, lanes_of[i]);
      }
    }
    const Index step = s.channels_last ? s.channels : 1;
    // Two bounds, as the last vectors leave fewer than kLanes: without the constant one GCC 12
    // warns of overflow.
    const Index most = std::is_same_v<T, float> ? kLanes : s.channels;
    for (Index u = 0; u < most && c < own.end; ++u, ++c)
      put(n * s.channels + c, c,
          combine_strided(s.positions, step, xn + (s.channels_last ? c : c * s.positions), term));
  }
}

// x: [batch, channels, positions] or with channels at the end, y: [batch, channels].
// s: batch, channels, positions > 0, channels_last. Divisible, as is global_max_pool.
template <class S, class T, class Epilogue>
void global_average_pool(S s, const T* x, T* y, Epilogue epilogue) {
  using A = compute_t<T>;
  combine_positions(s, x, SumTerm{}, [&](Index at, Index channel, A total) {
    y[at] = static_cast<T>(epilogue(total / static_cast<A>(s.positions), at, channel));
  });
}

template <class S, class T, class Epilogue>
void global_max_pool(S s, const T* x, T* y, Epilogue epilogue) {
  using A = compute_t<T>;
  combine_positions(s, x, MaxTerm{}, [&](Index at, Index channel, A total) {
    y[at] = static_cast<T>(epilogue(total, at, channel));
  });
}

// s: also p.
template <class S, class T>
void global_lp_pool(S s, const T* x, T* y) {
  using A = compute_t<T>;
  const A power = static_cast<A>(s.p);
  const Index step = s.channels_last ? s.channels : 1;
  for (Index n = 0; n < s.batch; ++n) {
    for (Index c = 0; c < s.channels; ++c) {
      const T* xc = x + n * s.channels * s.positions + (s.channels_last ? c : c * s.positions);
      A sum{};
      for (Index p = 0; p < s.positions; ++p)
        sum += std::pow(std::abs(static_cast<A>(xc[p * step])), power);
      y[n * s.channels + c] = static_cast<T>(std::pow(sum, A{1} / power));
    }
  }
}

}  // namespace onnxc
