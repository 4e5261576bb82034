// average_pool_nd.hpp - mean of every window.
#pragma once

#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"
#include "templates/pooling/window_rows.hpp"

namespace onnxc {

// Taps of the window at `out` that lie in the data or its padding.
template <std::size_t R, class S>
Index padded_taps(const S& s, const Position<R>& out) {
  Index count = 1;
  for (std::size_t i = 0; i < R; ++i) {
    const Index extent = s.in[i] + s.pad_end[i] - (out.at[i] * s.stride[i] - s.pad[i]);
    const Index taps = (extent + s.dilation[i] - 1) / s.dilation[i];
    count *= taps < s.kernel[i] ? taps : s.kernel[i];
  }
  return count;
}

// Means of the windows of plain images.
template <std::size_t R, class S, class T, class Epilogue>
void average_pool_rows(const S& s, const T* x, T* y, const Epilogue& epilogue) {
  using A = compute_t<T>;
  const Index in_size = box_size<R>(s.in), out_size = box_size<R>(s.out);
  const auto add = [](auto a, auto b) { return a + b; };
  for (Index plane = 0; plane < s.batch * s.channels && out_size > 0; ++plane)
    reduce_windows<R>(s, x + plane * in_size, A{}, add,
                      [&](Index position, const Position<R>& out, A sum) {
                        Index count = 1;
                        for (std::size_t i = 0; i < R; ++i) count *= taps_inside(s, i, out.at[i]);
                        if (s.count_pad) count = padded_taps<R>(s, out);
                        const Index at = plane * out_size + position;
                        const A mean = count > 0 ? sum / static_cast<A>(count) : A{};
                        y[at] = static_cast<T>(epilogue(mean, at, plane % s.channels));
                      });
}

// x: [batch, channels, in], y: [batch, channels, out].
// s: batch, channels, in[R], out[R], kernel[R], stride[R], dilation[R], pad[R], pad_end[R],
// count_pad, channels_last.
template <std::size_t R, class S, class T, class Epilogue>
void average_pool_nd(S s, const T* x, T* y, Epilogue epilogue) {
  if constexpr (kWindowRow > 0 && !std::is_integral_v<T>)
    if (!s.channels_last && reduces_rows<R>(s)) return average_pool_rows<R>(s, x, y, epilogue);
  using A = compute_t<T>;
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
        A sum{};
        Index count = 0;
        for_taps<R>(s, out, [&](Index offset) {
          sum += static_cast<A>(xc[offset * xs.position]);
          ++count;
        });
        if (s.count_pad) count = padded_taps<R>(s, out);
        const Index at = n * ys.batch + c * ys.channel + p * ys.position;
        const A mean = count > 0 ? sum / static_cast<A>(count) : A{};
        y[at] = static_cast<T>(epilogue(mean, at, c));
        ++p;
      } while (out.next(s.out));
    }
  }
}

// The derivative of average_pool_nd by its data: every tap gets its share of dy, like y.
// dx: like x. Members as above, without channels_last. Divisible.
template <std::size_t R, class S, class T>
void average_pool_grad_nd(S s, const T* dy, T* dx) {
  using A = compute_t<T>;
  const Index in_size = box_size<R>(s.in), out_size = box_size<R>(s.out);
  const Span planes = chunk_range(s, s.batch * s.channels);
  for (Index c = planes.begin; c < planes.end; ++c) {
    T* const to = dx + c * in_size;
    for (Index i = 0; i < in_size; ++i) to[i] = T{};
    if (out_size == 0) continue;
    const T* from = dy + c * out_size;
    Position<R> out;
    do {
      Index count = 0;
      for_taps<R>(s, out, [&](Index) { ++count; });
      if (s.count_pad) count = padded_taps<R>(s, out);
      const A each = count > 0 ? static_cast<A>(*from) / static_cast<A>(count) : A{};
      for_taps<R>(s, out,
                  [&](Index at) { to[at] = static_cast<T>(static_cast<A>(to[at]) + each); });
      ++from;
    } while (out.next(s.out));
  }
}

}  // namespace onnxc
