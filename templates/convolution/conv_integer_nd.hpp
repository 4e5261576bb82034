// conv_integer_nd.hpp - convolution of 8-bit integers with zero points; the sum wraps in 32 bits.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"

namespace onnxc {

// x: [batch, group * in_c, in], w: [group * out_c, in_c, kernel], zero points or null (zero), bias
// or null. w_zero_step is 1 for one zero point a channel, else 0.  finish(sum, channel) gives the
// output element. s: batch, group, in_c, out_c, w_zero_step, in[R], out[R], kernel[R], stride[R],
// dilation[R], pad[R].
template <std::size_t R, class S, class X, class W, class Y, class Finish>
void conv_integer(const S& s, const X* x, const W* w, const X* x_zero, const W* w_zero,
                  const std::int32_t* bias, Y* y, Finish finish) {
  const Index in_size = box_size<R>(s.in), out_size = box_size<R>(s.out);
  const Index kernel_size = box_size<R>(s.kernel), channels = s.group * s.out_c;
  const std::int32_t xz = x_zero != nullptr ? *x_zero : 0;
  if (out_size == 0) return;
  for (Index n = 0; n < s.batch; ++n) {
    for (Index m = 0; m < channels; ++m) {
      const std::int32_t wz = w_zero != nullptr ? w_zero[m * s.w_zero_step] : 0;
      const X* xg = x + (n * s.group + m / s.out_c) * s.in_c * in_size;
      const W* wm = w + m * s.in_c * kernel_size;
      Position<R> out;
      do {
        std::uint32_t sum = bias != nullptr ? static_cast<std::uint32_t>(bias[m]) : 0u;
        Position<R> tap;
        Index t = 0;
        do {
          const Index offset = tap_offset<R>(s, out, tap);
          for (Index c = 0; offset >= 0 && c < s.in_c; ++c)
            sum += static_cast<std::uint32_t>((xg[offset + c * in_size] - xz) *
                                              (wm[c * kernel_size + t] - wz));
          ++t;
        } while (tap.next(s.kernel));
        *y++ = finish(static_cast<std::int32_t>(sum), m);
      } while (out.next(s.out));
    }
  }
}

template <std::size_t R, class S, class X, class W>
void conv_integer_nd(S s, const X* x, const W* w, const X* x_zero, const W* w_zero,
                     std::int32_t* y) {
  conv_integer<R>(s, x, w, x_zero, w_zero, nullptr, y, [](std::int32_t sum, Index) { return sum; });
}

}  // namespace onnxc
