// conv_nd.hpp - convolution of any rank, element type and layout, straight from its definition.
#pragma once

#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"

namespace onnxc {

// x: [batch, group * in_c, in], w: [group * out_c, in_c, kernel], bias: [group * out_c] or null,
// y: [batch, group * out_c, out]; x and y with channels at the end when channels_last.
// s: batch, group, in_c, out_c, in[R], out[R], kernel[R], stride[R], dilation[R], pad[R],
// channels_last.
template <std::size_t R, class S, class T, class Epilogue>
void conv_nd(S s, const T* x, const T* w, const T* bias, T* y, Epilogue epilogue) {
  using A = compute_t<T>;
  const Index in_size = box_size<R>(s.in), out_size = box_size<R>(s.out);
  const Index kernel_size = box_size<R>(s.kernel), channels = s.group * s.out_c;
  const ChannelSteps xs = channel_steps(s.group * s.in_c, in_size, s.channels_last);
  const ChannelSteps ys = channel_steps(channels, out_size, s.channels_last);
  if (out_size == 0) return;
  for (Index n = 0; n < s.batch; ++n) {
    for (Index m = 0; m < channels; ++m) {
      const T* xg = x + n * xs.batch + m / s.out_c * s.in_c * xs.channel;
      const T* wm = w + m * s.in_c * kernel_size;
      Position<R> out;
      Index p = 0;
      do {
        A sum = bias != nullptr ? static_cast<A>(bias[m]) : A{};
        Position<R> tap;
        Index t = 0;
        do {
          const Index offset = tap_offset<R>(s, out, tap);
          for (Index c = 0; offset >= 0 && c < s.in_c; ++c)
            sum += static_cast<A>(xg[offset * xs.position + c * xs.channel]) *
                   static_cast<A>(wm[c * kernel_size + t]);
          ++t;
        } while (tap.next(s.kernel));
        const Index at = n * ys.batch + m * ys.channel + p * ys.position;
        y[at] = static_cast<T>(epilogue(sum, at, m));
        ++p;
      } while (out.next(s.out));
    }
  }
}

}  // namespace onnxc
