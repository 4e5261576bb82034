// lp_pool_nd.hpp - p-norm of every window.
#pragma once

#include <cmath>

#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"

namespace onnxc {

// x: [batch, channels, in], y: [batch, channels, out].
// s: batch, channels, p, in[R], out[R], kernel[R], stride[R], dilation[R], pad[R], channels_last.
template <std::size_t R, class S, class T>
void lp_pool_nd(S s, const T* x, T* y) {
  using A = compute_t<T>;
  const Index in_size = box_size<R>(s.in), out_size = box_size<R>(s.out);
  const ChannelSteps xs = channel_steps(s.channels, in_size, s.channels_last);
  const ChannelSteps ys = channel_steps(s.channels, out_size, s.channels_last);
  const A power = static_cast<A>(s.p);
  if (out_size == 0) return;
  for (Index n = 0; n < s.batch; ++n) {
    for (Index c = 0; c < s.channels; ++c) {
      const T* xc = x + n * xs.batch + c * xs.channel;
      Position<R> out;
      Index p = 0;
      do {
        A sum{};
        for_taps<R>(s, out, [&](Index offset) {
          sum += std::pow(std::abs(static_cast<A>(xc[offset * xs.position])), power);
        });
        y[n * ys.batch + c * ys.channel + p * ys.position] =
            static_cast<T>(std::pow(sum, A{1} / power));
        ++p;
      } while (out.next(s.out));
    }
  }
}

}  // namespace onnxc
