// batch_norm.hpp - normalises every channel with given statistics, or with its own while training.
#pragma once

#include <cmath>

#include "runtime_min/types.hpp"

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

// Population statistics of the batch normalise x.
// s: batch, channels, positions, epsilon, momentum.
template <class S, class T, class P, class M>
void batch_norm_training(S s, const T* x, const P* scale, const P* bias, const M* mean,
                         const M* variance, T* y, BatchStatistics<M> out) {
  using A = compute_t<T>;
  const A count = static_cast<A>(s.batch * s.positions);
  const A momentum = static_cast<A>(s.momentum);
  const auto each = [&](Index c, auto f) {
    for (Index n = 0; n < s.batch; ++n)
      for (Index p = 0; p < s.positions; ++p) f((n * s.channels + c) * s.positions + p);
  };
  for (Index c = 0; c < s.channels; ++c) {
    A sum{}, squares{};
    each(c, [&](Index i) { sum += static_cast<A>(x[i]); });
    const A batch_mean = sum / count;
    each(c, [&](Index i) {
      const A d = static_cast<A>(x[i]) - batch_mean;
      squares += d * d;
    });
    const A batch_variance = squares / count;
    const A factor =
        static_cast<A>(scale[c]) / std::sqrt(batch_variance + static_cast<A>(s.epsilon));
    const A shift = static_cast<A>(bias[c]);
    each(c, [&](Index i) {
      y[i] = static_cast<T>((static_cast<A>(x[i]) - batch_mean) * factor + shift);
    });
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

}  // namespace onnxc
