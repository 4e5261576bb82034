// lrn.hpp - local response normalisation across channels.
#pragma once

#include <cmath>

#include "runtime_min/part.hpp"
#include "runtime_min/types.hpp"
#include "templates/window.hpp"

namespace onnxc {

// y = x / (bias + alpha / size * sum of squares over the `size` channels around)^beta, x, y:
// [batch, channels, positions] in either layout, not overlapping.  s: batch, channels, positions,
// size, alpha, beta, bias, channels_last. Divisible.
template <class S, class T>
void lrn(S s, const T* x, T* y) {
  using A = compute_t<T>;
  const ChannelSteps steps = channel_steps(s.channels, s.positions, s.channels_last);
  const Index before = (s.size - 1) / 2, after = s.size - 1 - before;
  const A factor = static_cast<A>(s.alpha) / static_cast<A>(s.size);
  const A beta = static_cast<A>(s.beta);
  const Span own = share_of(s, s.positions, 16);
  for (Index n = 0; n < s.batch; ++n) {
    for (Index c = 0; c < s.channels; ++c) {
      const Index first = c > before ? c - before : 0;
      const Index last = s.channels - 1 - c > after ? c + after : s.channels - 1;
      for (Index p = own.begin; p < own.end; ++p) {
        const Index start = n * steps.batch + p * steps.position;
        A squares{};
        for (Index k = first; k <= last; ++k) {
          const A v = static_cast<A>(x[start + k * steps.channel]);
          squares += v * v;
        }
        const Index at = start + c * steps.channel;
        const A base = static_cast<A>(s.bias) + factor * squares;
        y[at] = static_cast<T>(static_cast<A>(x[at]) * std::pow(base, -beta));
      }
    }
  }
}

}  // namespace onnxc
