// loss.hpp - negative log-likelihood of the target classes.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "runtime_min/math.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/normalization/softmax.hpp"

namespace onnxc {

struct Reduction {
  enum Kind : Index { kNone, kSum, kMean };
};

// Sums the losses of all positions; log_probability(n, c, p) is called in this order.
template <class S, class T, class I, class F>
[[gnu::always_inline]] inline Status sum_losses(S s, const I* target, const T* weight, T* y,
                                                F log_probability) {
  using A = compute_t<T>;
  A sum{}, weights{};
  for (Index n = 0; n < s.batch; ++n) {
    for (Index p = 0; p < s.positions; ++p) {
      const std::int64_t t = static_cast<std::int64_t>(target[n * s.positions + p]);
      A loss{};
      if (!s.ignores || t != s.ignored) {
        if (t < 0 || t >= s.classes) return Status::bad_index;
        const Index c = static_cast<Index>(t);
        const A w = weight != nullptr ? static_cast<A>(weight[c]) : A{1};
        loss = -log_probability(n, c, p) * w;
        weights += w;
      }
      if (s.reduction == Reduction::kNone) y[n * s.positions + p] = static_cast<T>(loss);
      sum += loss;
    }
  }
  if (s.reduction == Reduction::kSum) *y = static_cast<T>(sum);
  if (s.reduction == Reduction::kMean) *y = static_cast<T>(sum / weights);
  return Status::ok;
}

// x: [batch, classes, positions] of log-probabilities, target: [batch, positions], weight:
// [classes] or null; y: like target, or one element.  s: batch, classes, positions, reduction,
// ignores, ignored.
template <class S, class T, class I>
Status nll_loss(S s, const T* x, const I* target, const T* weight, T* y) {
  return sum_losses(s, target, weight, y, [&](Index n, Index c, Index p) {
    return static_cast<compute_t<T>>(x[(n * s.classes + c) * s.positions + p]);
  });
}

// For `count` positions side by side, the first of which is at x: the largest score, and the
// logarithm of the sum of exp(score - largest).
template <class S, class T, class A>
void log_sums(S s, const T* x, Index count, A* largest, A* offset) {
  const auto columns = [&](Index i, auto lane) {
    using V = decltype(lane);
    V top = load<V>(x + i), sum = {};
    for (Index c = 1; c < s.classes; ++c) top = max(top, load<V>(x + c * s.positions + i));
    for (Index c = 0; c < s.classes; ++c) sum += math::exp(load<V>(x + c * s.positions + i) - top);
    store<V>(largest + i, top);
    store<V>(offset + i, math::log(sum));
  };
  if constexpr (std::is_same_v<T, float>) {
    if (s.positions > 1) return for_lanes(count, columns);
    *largest = row_max(x, s.classes);
    *offset = row_log_sum(x, s.classes, *largest);
  } else {
    for (Index i = 0; i < count; ++i) {
      const auto score = [&](Index c) { return static_cast<A>(x[c * s.positions + i]); };
      A top = score(0), sum{};
      for (Index c = 1; c < s.classes; ++c) top = score(c) > top ? score(c) : top;
      for (Index c = 0; c < s.classes; ++c) sum += std::exp(score(c) - top);
      largest[i] = top, offset[i] = std::log(sum);
    }
  }
}

// nll_loss of the logarithm of the softmax over the classes, which is nowhere in memory.
template <class S, class T, class I>
Status cross_entropy(S s, const T* x, const I* target, const T* weight, T* y) {
  using A = compute_t<T>;
  constexpr Index kBlock = 64;
  A largest[kBlock] = {}, offset[kBlock] = {};
  Index done = -1;
  return sum_losses(s, target, weight, y, [&](Index n, Index c, Index p) {
    const T* scores = x + n * s.classes * s.positions;
    const Index at = p % kBlock, first = p - at, left = s.positions - first;
    if (done != n * s.positions + first) {
      done = n * s.positions + first;
      log_sums(s, scores + first, left < kBlock ? left : kBlock, largest, offset);
    }
    return (static_cast<A>(scores[c * s.positions + p]) - largest[at]) - offset[at];
  });
}

// y[i] = x[i] * factor[i * step], where step is 0 or 1.
template <class T, class A>
[[gnu::always_inline]] inline void scale_elements(const T* x, const A* factor, Index step,
                                                  Index count, T* y) {
  if constexpr (std::is_same_v<T, float>) {
    for_lanes(count, [&](Index i, auto lane) {
      using V = decltype(lane);
      const V f = step == 0 ? V{} + factor[0] : load<V>(factor + i);
      store<V>(y + i, load<V>(x + i) * f);
    });
  } else {
    for (Index i = 0; i < count; ++i)
      y[i] = static_cast<T>(static_cast<A>(x[i]) * factor[i * step]);
  }
}

// The derivative of cross_entropy by the scores, whose softmax is x; dx may be x. dy: like the
// loss. Zero for targets that are ignored, even where all are and the mean is not a number.
template <class S, class T, class I>
Status cross_entropy_grad(S s, const T* x, const I* target, const T* weight, const T* dy, T* dx) {
  using A = compute_t<T>;
  constexpr Index kBlock = 64;
  const auto weight_of = [&](std::int64_t t) {
    if (s.ignores && t == s.ignored) return A{};
    return weight != nullptr ? static_cast<A>(weight[t]) : A{1};
  };
  A weights{};
  for (Index i = 0; i < s.batch * s.positions; ++i) {
    const std::int64_t t = static_cast<std::int64_t>(target[i]);
    if ((!s.ignores || t != s.ignored) && (t < 0 || t >= s.classes)) return Status::bad_index;
    weights += weight_of(t);
  }
  const A total = s.reduction == Reduction::kMean ? weights : A{1};
  for (Index n = 0; n < s.batch; ++n) {
    for (Index first = 0; first < s.positions; first += kBlock) {
      const Index left = s.positions - first, count = left < kBlock ? left : kBlock;
      const Index begin = n * s.classes * s.positions + first, at = n * s.positions + first;
      A factor[kBlock];
      for (Index p = 0; p < count; ++p) {
        const A u = static_cast<A>(dy[s.reduction == Reduction::kNone ? at + p : 0]);
        const std::int64_t t = static_cast<std::int64_t>(target[at + p]);
        factor[p] = s.ignores && t == s.ignored ? A{} : weight_of(t) * u / total;
      }
      // With one position, the classes lie side by side.
      const bool rows = s.positions == 1;
      for (Index c = 0; c < (rows ? 1 : s.classes); ++c) {
        const Index row = begin + c * s.positions;
        scale_elements(x + row, factor, rows ? 0 : 1, rows ? s.classes : count, dx + row);
      }
      for (Index p = 0; p < count; ++p) {
        const std::int64_t t = static_cast<std::int64_t>(target[at + p]);
        if (s.ignores && t == s.ignored) continue;
        T& own = dx[begin + static_cast<Index>(t) * s.positions + p];
        own = static_cast<T>(static_cast<A>(own) - factor[p]);
      }
    }
  }
  return Status::ok;
}

}  // namespace onnxc
