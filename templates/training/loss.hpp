// loss.hpp - negative log-likelihood of the target classes.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"

namespace onnxc {

struct Reduction {
  enum Kind : Index { kNone, kSum, kMean };
};

// x: [batch, classes, positions] of log-probabilities, target: [batch, positions], weight:
// [classes] or null; y: like target, or one element.  s: batch, classes, positions, reduction,
// ignores, ignored.
template <class S, class T, class I>
Status nll_loss(S s, const T* x, const I* target, const T* weight, T* y) {
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
        loss = -static_cast<A>(x[(n * s.classes + c) * s.positions + p]) * w;
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

}  // namespace onnxc
