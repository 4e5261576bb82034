// max_pool_taps_nd.hpp - the maximum of windows that remembers, in one byte, which tap was the
// largest, and its derivative. The data need not be kept for the way back.
#pragma once

#include <cstdint>
#include <limits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"

namespace onnxc {

constexpr std::uint8_t kNoTap = 255;  // of a window that holds no data

// y: [batch, channels, out], taps: like y. The first of equal elements is the largest; NaN wins. A
// window that holds no data gives the lowest value. Windows have fewer than 255 taps. s: batch,
// channels, in[R], out[R], kernel[R], stride[R], dilation[R], pad[R], channels_last. Divisible.
template <std::size_t R, class S, class T, class Epilogue>
void max_pool_taps_nd(S s, const T* x, T* y, std::uint8_t* taps, Epilogue epilogue) {
  using A = compute_t<T>;
  const Index out_size = box_size<R>(s.out);
  const ChannelSteps xs = channel_steps(s.channels, box_size<R>(s.in), s.channels_last);
  const ChannelSteps ys = channel_steps(s.channels, out_size, s.channels_last);
  const Span planes = chunk_range(s, s.batch * s.channels);
  for (Index plane = planes.begin; plane < planes.end; ++plane) {
    const Index n = plane / s.channels, c = plane % s.channels;
    const T* const xc = x + n * xs.batch + c * xs.channel;
    Position<R> out;
    for (Index p = 0; p < out_size; ++p, out.next(s.out)) {
      A best = -std::numeric_limits<A>::infinity();
      std::uint8_t where = kNoTap, number = 0;
      Position<R> tap;
      do {
        const Index offset = tap_offset<R>(s, out, tap);
        const A v = offset < 0 ? best : static_cast<A>(xc[offset * xs.position]);
        const bool larger = where == kNoTap || v > best || (v != v && best == best);
        if (offset >= 0 && larger) best = v, where = number;
        ++number;
      } while (tap.next(s.kernel));
      const Index at = n * ys.batch + c * ys.channel + p * ys.position;
      y[at] = static_cast<T>(epilogue(best, at, c));
      taps[at] = where;
    }
  }
}

// The tap of this number.
template <std::size_t R, class S>
Position<R> tap_of(const S& s, Index number) {
  Position<R> tap;
  for (std::size_t i = R; i-- > 0;) {
    tap.at[i] = number % s.kernel[i];
    number /= s.kernel[i];
  }
  return tap;
}

// The derivative of max_pool_taps_nd by its data: dy goes to the tap that was the largest. dx:
// [batch, channels, in], dy, taps: [batch, channels, out]. Members as above. Divisible.
template <std::size_t R, class S, class T, class Epilogue>
void max_pool_grad_taps_nd(S s, const T* dy, const std::uint8_t* taps, T* dx, Epilogue epilogue) {
  using A = compute_t<T>;
  const Index in_size = box_size<R>(s.in), out_size = box_size<R>(s.out);
  const ChannelSteps xs = channel_steps(s.channels, in_size, s.channels_last);
  const ChannelSteps ys = channel_steps(s.channels, out_size, s.channels_last);
  const Span planes = chunk_range(s, s.batch * s.channels);
  for (Index plane = planes.begin; plane < planes.end; ++plane) {
    const Index n = plane / s.channels, c = plane % s.channels;
    const Index to = n * xs.batch + c * xs.channel, from = n * ys.batch + c * ys.channel;
    for (Index i = 0; i < in_size; ++i) dx[to + i * xs.position] = T{};
    Position<R> out;
    for (Index p = 0; p < out_size; ++p, out.next(s.out)) {
      const Index at = from + p * ys.position;
      if (taps[at] == kNoTap) continue;
      const Index offset = tap_offset<R>(s, out, tap_of<R>(s, taps[at]));
      T& sum = dx[to + offset * xs.position];
      sum = static_cast<T>(static_cast<A>(sum) + static_cast<A>(dy[at]));
    }
    for (Index i = 0; i < in_size; ++i) {
      const Index at = to + i * xs.position;
      dx[at] = static_cast<T>(epilogue(static_cast<A>(dx[at]), at, c));
    }
  }
}

}  // namespace onnxc
