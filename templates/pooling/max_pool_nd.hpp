// max_pool_nd.hpp - largest element of every window, and where it lies.
#pragma once

#include <cstdint>
#include <limits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"

namespace onnxc {

// The offset of a spatial position when the first spatial axis is the fastest.
template <std::size_t R, class D>
Index column_major(Index offset, const D& extents) {
  Index at[R] = {};
  for (std::size_t i = R; i-- > 0;) {
    at[i] = offset % extents[i];
    offset /= extents[i];
  }
  Index result = 0;
  for (std::size_t i = R; i-- > 0;) result = result * extents[i] + at[i];
  return result;
}

// The tap of the window at `out` with the largest element, `best`; NaN wins. -1 and `best` as it
// was for a window that holds no data.
template <std::size_t R, class S, class T>
[[gnu::always_inline]] inline Index largest_tap(const S& s, const Position<R>& out, const T* x,
                                                Index step, compute_t<T>& best) {
  Index where = -1;
  for_taps<R>(s, out, [&](Index offset) {
    const auto v = static_cast<compute_t<T>>(x[offset * step]);
    if (where >= 0 && !(v > best) && v == v) return;
    if (best != best) return;
    best = v;
    where = offset;
  });
  return where;
}

// x: [batch, channels, in], y: [batch, channels, out], indices: like y or null; offsets into the
// whole of plain x. A window that holds no data gives the lowest value and index -1. s: batch,
// channels, in[R], out[R], kernel[R], stride[R], dilation[R], pad[R], column_order, channels_last.
template <std::size_t R, class S, class T, class Epilogue>
void max_pool_nd(S s, const T* x, T* y, std::int64_t* indices, Epilogue epilogue) {
  using A = compute_t<T>;
  using Limits = std::numeric_limits<A>;
  const A lowest = Limits::has_infinity ? static_cast<A>(-Limits::infinity()) : Limits::lowest();
  const Index in_size = box_size<R>(s.in), out_size = box_size<R>(s.out);
  const ChannelSteps xs = channel_steps(s.channels, in_size, s.channels_last);
  const ChannelSteps ys = channel_steps(s.channels, out_size, s.channels_last);
  if (out_size == 0) return;
  for (Index n = 0; n < s.batch; ++n) {
    for (Index c = 0; c < s.channels; ++c) {
      const T* xc = x + n * xs.batch + c * xs.channel;
      Position<R> out;
      Index p = 0;
      do {
        A best = lowest;
        const Index where = largest_tap<R>(s, out, xc, xs.position, best);
        const Index at = n * ys.batch + c * ys.channel + p * ys.position;
        y[at] = static_cast<T>(epilogue(best, at, c));
        if (indices != nullptr) {
          const Index spatial = where < 0 || !s.column_order ? where : column_major<R>(where, s.in);
          indices[at] = where < 0 ? -1 : (n * s.channels + c) * in_size + spatial;
        }
        ++p;
      } while (out.next(s.out));
    }
  }
}

// The derivative of max_pool_nd by its data: dy goes to the tap that is the largest. x, dx:
// [batch, channels, in], dy: [batch, channels, out]. Members as above, without column_order and
// channels_last. Divisible.
template <std::size_t R, class S, class T, class Epilogue>
void max_pool_grad_nd(S s, const T* dy, const T* x, T* dx, Epilogue epilogue) {
  using A = compute_t<T>;
  const Index in_size = box_size<R>(s.in), out_size = box_size<R>(s.out);
  const Span planes = chunk_range(s, s.batch * s.channels);
  for (Index c = planes.begin; c < planes.end; ++c) {
    T* const to = dx + c * in_size;
    for (Index i = 0; i < in_size; ++i) to[i] = T{};
    const T *from = dy + c * out_size, *values = x + c * in_size;
    Position<R> out;
    for (Index p = 0; p < out_size; ++p, out.next(s.out)) {
      A best{};
      const Index where = largest_tap<R>(s, out, values, 1, best);
      if (where >= 0) to[where] = static_cast<T>(static_cast<A>(to[where]) + static_cast<A>(*from));
      ++from;
    }
    for (Index i = 0; i < in_size; ++i)
      to[i] = static_cast<T>(epilogue(static_cast<A>(to[i]), c * in_size + i, c % s.channels));
  }
}

// ---- the same, remembering in one byte which tap was the largest: the data need not be kept
// --------

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
