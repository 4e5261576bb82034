// batch_norm.hpp - normalises every channel with given statistics, or with its own while training.
#pragma once

#include <cmath>
#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/fn/exponential.hpp"
#include "templates/normalization/numbers.hpp"

namespace onnxc {

// x, y: [batch, channels, positions], scale, bias, mean, variance: [channels].
// s: batch, channels, positions, epsilon.
template <class S, class T, class P, class M>
void batch_norm(S s, const T* x, const P* scale, const P* bias, const M* mean, const M* variance,
                T* y) {
  using A = compute_t<T>;
  for (Index n = 0; n < s.batch; ++n) {
    for (Index c = 0; c < s.channels; ++c) {
      const A root = std::sqrt(static_cast<A>(variance[c]) + static_cast<A>(s.epsilon));
      const A factor = static_cast<A>(scale[c]) / root;
      const A shift = static_cast<A>(bias[c]) - static_cast<A>(mean[c]) * factor;
      for (Index p = 0; p < s.positions; ++p, ++x, ++y)
        *y = static_cast<T>(static_cast<A>(*x) * factor + shift);
    }
  }
}

// Statistics that a training run gives, [channels]: running = old * momentum + batch * (1 -
// momentum), and those of the batch. Each may be null.
template <class M>
struct BatchStatistics {
  M *running_mean, *running_variance, *saved_mean, *saved_variance;
};
template <class M>
BatchStatistics(M*, M*, M*, M*) -> BatchStatistics<M>;

// The sum over a channel of term(value), where values are vectors of floats or single numbers.
template <class A, class S, class T, class F>
A sum_of_channel(const S& s, const T* x, Index c, F term) {
  A total{};
  for (Index n = 0; n < s.batch; ++n) {
    const T* const plane = x + (n * s.channels + c) * s.positions;
    LaneSum<A> sum;
    for_numbers<T>(s.positions, [&](Index i, auto lane) {
      if constexpr (std::is_same_v<T, float>) {
        sum.add(term(load<decltype(lane)>(plane + i)));
      } else {
        sum.add(term(static_cast<A>(plane[i])));
      }
    });
    total += sum.total();
  }
  return total;
}

// y = (x - mean) * factor + shift over a channel.
template <class S, class T, class A>
void normalize_channel(const S& s, const T* x, Index c, A mean, A factor, A shift, T* y) {
  for (Index n = 0; n < s.batch; ++n) {
    const Index at = (n * s.channels + c) * s.positions;
    for_numbers<T>(s.positions, [&](Index i, auto lane) {
      if constexpr (std::is_same_v<T, float>) {
        store(y + at + i, (load<decltype(lane)>(x + at + i) - mean) * factor + shift);
      } else {
        y[at + i] = static_cast<T>((static_cast<A>(x[at + i]) - mean) * factor + shift);
      }
    });
  }
}

// Population statistics of the batch normalise x.
// s: batch, channels, positions, epsilon, momentum. Divisible.
template <class S, class T, class P, class M>
void batch_norm_training(S s, const T* x, const P* scale, const P* bias, const M* mean,
                         const M* variance, T* y, BatchStatistics<M> out) {
  using A = compute_t<T>;
  const A count = static_cast<A>(s.batch * s.positions);
  const A momentum = static_cast<A>(s.momentum);
  const Span own = chunk_range(s, s.channels);
  for (Index c = own.begin; c < own.end; ++c) {
    const A batch_mean = sum_of_channel<A>(s, x, c, [](auto v) { return v; }) / count;
    const A squares = sum_of_channel<A>(s, x, c, [&](auto v) {
      const auto d = v - batch_mean;
      return d * d;
    });
    const A batch_variance = squares / count;
    const A factor =
        static_cast<A>(scale[c]) / std::sqrt(batch_variance + static_cast<A>(s.epsilon));
    normalize_channel(s, x, c, batch_mean, factor, static_cast<A>(bias[c]), y);
    const auto blend = [&](A old, A now) {
      return static_cast<M>(old * momentum + now * (A{1} - momentum));
    };
    if (out.running_mean != nullptr)
      out.running_mean[c] = blend(static_cast<A>(mean[c]), batch_mean);
    if (out.running_variance != nullptr)
      out.running_variance[c] = blend(static_cast<A>(variance[c]), batch_variance);
    if (out.saved_mean != nullptr) out.saved_mean[c] = static_cast<M>(batch_mean);
    if (out.saved_variance != nullptr) out.saved_variance[c] = static_cast<M>(batch_variance);
  }
}

// The sum of term(row) over `rows` rows. The terms of an image's worth of rows are summed first:
// long sums would lose digits.
template <class V, class F>
[[gnu::always_inline]] inline V sum_of_rows(Index rows, F term) {
  constexpr Index run = 256;
  V total{};
  for (Index first = 0; first < rows; first += run) {
    const Index end = first + run < rows ? first + run : rows;
    V part[4] = {};
    Index row = first;
    for (; row + 4 <= end; row += 4) {
#pragma GCC unroll 4
      for (int u = 0; u < 4; ++u) part[u] += term(row + u);
    }
    for (; row < end; ++row) part[0] += term(row);
    total += (part[0] + part[1]) + (part[2] + part[3]);
  }
  return total;
}

// Neighbouring elements of any float type.
template <class V, class P>
[[gnu::always_inline]] inline V widened(const P* p) {
  float lane[lanes<V>];
  for (int l = 0; l < lanes<V>; ++l) lane[l] = static_cast<float>(p[l]);
  return load<V>(lane);
}
template <class V, class M>
[[gnu::always_inline]] inline void set_narrowed(M* p, V v) {
  float lane[lanes<V>];
  store(lane, v);
  for (int l = 0; l < lanes<V>; ++l) p[l] = static_cast<M>(lane[l]);
}

// The same for channels-last images: x, y: [batch, positions, channels]. Divisible.
template <class S, class P, class M>
void batch_norm_training_nhwc(S s, const float* x, const P* scale, const P* bias, const M* mean,
                              const M* variance, float* y, BatchStatistics<M> out) {
  const Index rows = s.batch * s.positions;
  const float count = static_cast<float>(rows), momentum = s.momentum;
  const Span own = chunk_range(s, s.channels, kLanes);
  for_lanes(own.size(), [&](Index i, auto lane) {
    using V = decltype(lane);
    const Index c = own.begin + i;
    const auto value = [&](Index row) { return load<V>(x + row * s.channels + c); };
    const V batch_mean = sum_of_rows<V>(rows, value) / count;
    const V batch_variance = sum_of_rows<V>(rows,
                                            [&](Index row) {
                                              const V d = value(row) - batch_mean;
                                              return d * d;
                                            }) /
                             count;
    const V factor = widened<V>(scale + c) / fn::sqrt(batch_variance + s.epsilon);
    const V shift = widened<V>(bias + c);
    for (Index row = 0; row < rows; ++row)
      store(y + row * s.channels + c, (value(row) - batch_mean) * factor + shift);
    const auto blend = [&](const M* old, V now) {
      return widened<V>(old + c) * momentum + now * (1.0f - momentum);
    };
    if (out.running_mean != nullptr) set_narrowed(out.running_mean + c, blend(mean, batch_mean));
    if (out.running_variance != nullptr)
      set_narrowed(out.running_variance + c, blend(variance, batch_variance));
    if (out.saved_mean != nullptr) set_narrowed(out.saved_mean + c, batch_mean);
    if (out.saved_variance != nullptr) set_narrowed(out.saved_variance + c, batch_variance);
  });
}

}  // namespace onnxc
