// max_pool_nd.hpp - largest element of every window, and its position; derivatives.
#pragma once

#include <cstdint>
#include <limits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"
#include "templates/fn/selection.hpp"
#include "templates/pooling/window_rows.hpp"

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

// y: the largest element of every window of `planes`, which are pairs of batch and channel. Calls
// record(at, plane, out, where) for each: its offset in y, and what largest_tap returns.
template <std::size_t R, class S, class T, class Epilogue, class F>
void max_pool_planes(const S& s, Span planes, const T* x, T* y, const Epilogue& epilogue,
                     F record) {
  using A = compute_t<T>;
  using Limits = std::numeric_limits<A>;
  const A lowest = Limits::has_infinity ? static_cast<A>(-Limits::infinity()) : Limits::lowest();
  const Index out_size = box_size<R>(s.out);
  const ChannelSteps xs = channel_steps(s.channels, box_size<R>(s.in), s.channels_last);
  const ChannelSteps ys = channel_steps(s.channels, out_size, s.channels_last);
  for (Index plane = planes.begin; plane < planes.end; ++plane) {
    const Index n = plane / s.channels, c = plane % s.channels;
    const T* const xc = x + n * xs.batch + c * xs.channel;
    Position<R> out;
    for (Index p = 0; p < out_size; ++p, out.next(s.out)) {
      A best = lowest;
      const Index where = largest_tap<R>(s, out, xc, xs.position, best);
      const Index at = n * ys.batch + c * ys.channel + p * ys.position;
      y[at] = static_cast<T>(epilogue(best, at, c));
      record(at, plane, out, where);
    }
  }
}

// The same of plain images, without positions.
template <std::size_t R, class S, class T, class Epilogue>
void max_pool_rows(const S& s, const T* x, T* y, const Epilogue& epilogue) {
  using A = compute_t<T>;
  using Limits = std::numeric_limits<A>;
  const A lowest = Limits::has_infinity ? static_cast<A>(-Limits::infinity()) : Limits::lowest();
  const Index in_size = box_size<R>(s.in), out_size = box_size<R>(s.out);
  const auto larger = [](auto a, auto b) { return fn::max(a, b); };
  for (Index plane = 0; plane < s.batch * s.channels && out_size > 0; ++plane)
    reduce_windows<R>(s, x + plane * in_size, lowest, larger,
                      [&](Index position, const Position<R>&, A largest) {
                        const Index at = plane * out_size + position;
                        y[at] = static_cast<T>(epilogue(largest, at, plane % s.channels));
                      });
}

// x: [batch, channels, in], y: [batch, channels, out], indices: like y or null; offsets into the
// whole of plain x. A window that holds no data gives the lowest value and index -1. s: batch,
// channels, in[R], out[R], kernel[R], stride[R], dilation[R], pad[R], column_order, channels_last.
template <std::size_t R, class S, class T, class Epilogue>
void max_pool_nd(S s, const T* x, T* y, std::int64_t* indices, Epilogue epilogue) {
  if constexpr (kWindowRow > 0)
    if (indices == nullptr && !s.channels_last && reduces_rows<R>(s))
      return max_pool_rows<R>(s, x, y, epilogue);
  const Index in_size = box_size<R>(s.in);
  const auto record = [&](Index at, Index plane, const Position<R>&, Index where) {
    if (indices == nullptr) return;
    const Index spatial = where < 0 || !s.column_order ? where : column_major<R>(where, s.in);
    indices[at] = where < 0 ? -1 : plane * in_size + spatial;
  };
  max_pool_planes<R>(s, {0, s.batch * s.channels}, x, y, epilogue, record);
}

// Adds each dy to the element of its plane of dx that offset_of(at, plane, out) names; at: its
// offset in dy, -1: none. Divisible.
template <std::size_t R, class S, class T, class Epilogue, class F>
void max_pool_grad_planes(const S& s, bool channels_last, const T* dy, T* dx,
                          const Epilogue& epilogue, F offset_of) {
  using A = compute_t<T>;
  const Index in_size = box_size<R>(s.in), out_size = box_size<R>(s.out);
  const ChannelSteps xs = channel_steps(s.channels, in_size, channels_last);
  const ChannelSteps ys = channel_steps(s.channels, out_size, channels_last);
  const Span planes = chunk_range(s, s.batch * s.channels);
  for (Index plane = planes.begin; plane < planes.end; ++plane) {
    const Index n = plane / s.channels, c = plane % s.channels;
    const Index to = n * xs.batch + c * xs.channel, from = n * ys.batch + c * ys.channel;
    for (Index i = 0; i < in_size; ++i) dx[to + i * xs.position] = T{};
    Position<R> out;
    for (Index p = 0; p < out_size; ++p, out.next(s.out)) {
      const Index at = from + p * ys.position, offset = offset_of(at, plane, out);
      if (offset < 0) continue;
      T& sum = dx[to + offset * xs.position];
      sum = static_cast<T>(static_cast<A>(sum) + static_cast<A>(dy[at]));
    }
    for (Index i = 0; i < in_size; ++i) {
      const Index at = to + i * xs.position;
      dx[at] = static_cast<T>(epilogue(static_cast<A>(dx[at]), at, c));
    }
  }
}

// The derivative of max_pool_nd by its data: dy goes to the tap that is the largest. x, dx:
// [batch, channels, in], dy: [batch, channels, out]. Members as above, without column_order and
// channels_last. Divisible.
template <std::size_t R, class S, class T, class Epilogue>
void max_pool_grad_nd(S s, const T* dy, const T* x, T* dx, Epilogue epilogue) {
  const Index in_size = box_size<R>(s.in);
  const auto offset_of = [&](Index, Index plane, const Position<R>& out) {
    compute_t<T> best{};
    return largest_tap<R>(s, out, x + plane * in_size, 1, best);
  };
  max_pool_grad_planes<R>(s, false, dy, dx, epilogue, offset_of);
}

constexpr std::uint8_t kNoTap = 255;  // of a window that holds no data

// The index of the tap of the window at `out` that reads at `offset`.
template <std::size_t R, class S>
std::uint8_t tap_number(const S& s, const Position<R>& out, Index offset) {
  Index number = 0, weight = 1;
  for (std::size_t i = R; i-- > 0;) {
    const Index first = out.at[i] * s.stride[i] - s.pad[i];
    number += weight * ((offset % s.in[i] - first) / s.dilation[i]);
    offset /= s.in[i];
    weight *= s.kernel[i];
  }
  return static_cast<std::uint8_t>(number);
}

// max_pool_nd that keeps the position of the maximum in its window, so that its derivative does not
// need the data. argmax: like y; windows have fewer than 255 elements. Divisible.
template <std::size_t R, class S, class T, class Epilogue>
void max_pool_argmax_nd(S s, const T* x, T* y, std::uint8_t* argmax, Epilogue epilogue) {
  const auto record = [&](Index at, Index, const Position<R>& out, Index where) {
    argmax[at] = where < 0 ? kNoTap : tap_number<R>(s, out, where);
  };
  max_pool_planes<R>(s, chunk_range(s, s.batch * s.channels), x, y, epilogue, record);
}

// The derivative of max_pool_argmax_nd by its data. dx: [batch, channels, in], dy, argmax: [batch,
// channels, out]. Members as above. Divisible.
template <std::size_t R, class S, class T, class Epilogue>
void max_pool_grad_argmax_nd(S s, const T* dy, const std::uint8_t* argmax, T* dx,
                             Epilogue epilogue) {
  const auto offset_of = [&](Index at, Index, const Position<R>& out) {
    if (argmax[at] == kNoTap) return Index{-1};
    Position<R> tap;
    Index number = argmax[at];
    for (std::size_t i = R; i-- > 0;) {
      tap.at[i] = number % s.kernel[i];
      number /= s.kernel[i];
    }
    return tap_offset<R>(s, out, tap);
  };
  max_pool_grad_planes<R>(s, s.channels_last, dy, dx, epilogue, offset_of);
}

}  // namespace onnxc
