// causal_conv.hpp - a depthwise convolution over time that carries its last inputs along.
#pragma once

#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/math.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// x, y: [batch, channels, length], w: [channels, kernel], bias: [channels] or null, past, state:
// [batch, channels, (kernel - 1) * dilation] or null (taken as zeros, not wanted).  s: batch,
// channels, length, kernel, dilation, silu.
template <class S, class T>
void causal_conv(S s, const T* x, const T* w, const T* bias, const T* past, T* y, T* state) {
  const Index carried = (s.kernel - 1) * s.dilation;
  for (Index row = 0; row < s.batch * s.channels; ++row, x += s.length) {
    const Index c = row % s.channels;
    // Position i of the carried inputs followed by the new ones.
    const auto at = [&](Index i) -> T {
      if (i >= carried) return x[i - carried];
      return past ? past[row * carried + i] : static_cast<T>(0.0f);
    };
    for (Index t = 0; t < s.length; ++t) {
      float sum = bias ? static_cast<float>(bias[c]) : 0.0f;
      for (Index k = 0; k < s.kernel; ++k)
        sum += static_cast<float>(at(t + k * s.dilation)) * static_cast<float>(w[c * s.kernel + k]);
      *y++ = static_cast<T>(s.silu ? sum * math::sigmoid(sum) : sum);
    }
    for (Index i = 0; state && i < carried; ++i) state[row * carried + i] = at(s.length + i);
  }
}

}  // namespace onnxc
