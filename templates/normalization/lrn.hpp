// lrn.hpp - local response normalisation across channels.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"
#include "templates/fn/exponential.hpp"

namespace onnxc {

// Channels that lrn_pixel takes at once, and the widest window for which it has capacity.
constexpr Index kLrnChannels = 128;
constexpr Index kLrnWindow = 64;

// All channels of one position, by vectors; the power is that of a positive base.
template <class S>
void lrn_pixel(const S& s, const float* x, float* y) {
  constexpr std::size_t capacity = kLrnChannels + kLrnWindow + kLanes;
  const Index before = (s.size - 1) / 2, after = s.size - 1 - before;
  const float factor = s.alpha / static_cast<float>(s.size);
  for (Index c = 0; c < s.channels; c += kLrnChannels) {
    const Index count = s.channels - c < kLrnChannels ? s.channels - c : kLrnChannels;
    const Index first = c > before ? c - before : 0;
    const Index last = s.channels - c - count > after ? c + count + after : s.channels;
    // Channels c - before and so on, zero where there are none.
    float values[capacity] = {};
    std::memcpy(values + (first - c + before), x + first,
                static_cast<std::size_t>(last - first) * sizeof(float));
    for (Index i = 0; i < count; i += kLanes) {
      vfloat squares = {};
      for (Index k = 0; k < s.size; ++k) {
        const vfloat v = load(values + i + k);
        squares += v * v;
      }
      const vfloat base = squares * factor + s.bias;
      const vfloat result = load(values + i + before) * fn::exp(fn::log(base) * -s.beta);
      if (i + kLanes <= count) {
        store(y + c + i, result);
      } else {
        std::memcpy(y + c + i, &result, static_cast<std::size_t>(count - i) * sizeof(float));
      }
    }
  }
}

// y = x / (bias + alpha / size * sum of squares over the `size` channels around)^beta, x, y:
// [batch, channels, positions] in either layout, not overlapping.  s: batch, channels, positions,
// size, alpha, beta, bias, channels_last. Divisible.
template <class S, class T>
void lrn(S s, const T* x, T* y) {
  using A = compute_t<T>;
  if constexpr (std::is_same_v<T, float> && kLanes > 1) {
    if (s.channels_last && s.size <= kLrnWindow && s.alpha >= 0.0f && s.bias > 0.0f) {
      const Span own = chunk_range(s, s.batch * s.positions);
      for (Index p = own.begin; p < own.end; ++p)
        lrn_pixel(s, x + p * s.channels, y + p * s.channels);
      return;
    }
  }
  const ChannelSteps steps = channel_steps(s.channels, s.positions, s.channels_last);
  const Index before = (s.size - 1) / 2, after = s.size - 1 - before;
  const A factor = static_cast<A>(s.alpha) / static_cast<A>(s.size);
  const A beta = static_cast<A>(s.beta);
  const Span own = chunk_range(s, s.batch * s.channels);
  for (Index i = own.begin; i < own.end; ++i) {
    const Index n = i / s.channels, c = i % s.channels;
    const Index first = c > before ? c - before : 0;
    const Index last = s.channels - 1 - c > after ? c + after : s.channels - 1;
    for (Index p = 0; p < s.positions; ++p) {
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

}  // namespace onnxc
