// average_pool_int8.hpp - means of windows of 8-bit integers, and of whole images.
//
// The mean of (x - zero) * step: the sum of the integers is exact, so that all targets give the
// same bits.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/simd_int8_words.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv_geometry.hpp"
#include "templates/matmul/matmul_tile.hpp"
#include "templates/pooling/pool2d_nhwc.hpp"

namespace onnxc {

// The taps of one output inside the image, zero times their number, and what the sum is multiplied
// with and divided by.
struct Int8AverageWindow {
  Index taps_h, taps_w, step_h, step_w;
  std::int32_t zeros;
  float step, divisor;
};

// What `taps` zeros add up to, which Index may not hold.
inline std::int32_t sum_of_zeros(Index taps, Index zero) {
  return static_cast<std::int32_t>(taps) * static_cast<std::int32_t>(zero);
}

template <class V>
[[gnu::always_inline]] inline V int8_mean(words<lanes<V>> sums, float step, float divisor) {
  return sums_as_floats<V>(sums) * broadcast<V>(step) / broadcast<V>(divisor);
}

// Adds the taps of COUNT vectors of channels, of which the first one of the window is at x.
template <class W, std::size_t COUNT, class T>
[[gnu::always_inline]] inline void add_window(W (&sums)[COUNT], const T* x,
                                              const Int8AverageWindow& t) {
  constexpr int count = COUNT, n = lanes<W>;
  for (Index h = 0; h < t.taps_h; ++h) {
    for (Index w = 0; w < t.taps_w; ++w) {
      const T* from = x + h * t.step_h + w * t.step_w;
#pragma GCC unroll 4
      for (int i = 0; i < count; ++i) sums[i] += widen<n>(from + i * n);
    }
  }
}

// The same for four channels, whose sums are halves of two words: of at most kMaxTapsInHalves
// taps.
constexpr Index kMaxTapsInHalves = 255;
template <class T>
[[gnu::always_inline]] inline void add_window_in_halves(std::uint32_t (&sums)[4], const T* x,
                                                        const Int8AverageWindow& t) {
  using Half = std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>;
  std::uint32_t even = 0, odd = 0;
  for (Index h = 0; h < t.taps_h; ++h) {
    const T* from = x + h * t.step_h;
    for (Index w = 0; w < t.taps_w; ++w, from += t.step_w) {
      std::uint32_t bytes;
      std::memcpy(&bytes, from, sizeof bytes);
      add_to_halves<T>(even, odd, bytes);
    }
  }
  const std::uint32_t halves[4] = {even, odd, even >> 16, odd >> 16};
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i)
    sums[i] += static_cast<std::uint32_t>(std::int32_t{static_cast<Half>(halves[i])});
}

// COUNT vectors of channels at a time from channel c on; returns the first one left over. y and at
// belong to channel 0.
template <class V, int COUNT, class T, class Y, class Epilogue>
[[gnu::always_inline]] inline Index average_int8_channels(const T* x, const Int8AverageWindow& t,
                                                          Index c, Index end, Y* y, Index at,
                                                          const Epilogue& epilogue) {
  constexpr int n = lanes<V>;
  constexpr std::size_t vectors = COUNT;
  Index groups = (end - c) / (COUNT * n);
  // After four at a time. GCC 12 warns of a loop without end where none are left.
  if constexpr (COUNT == 1) groups &= 3;
  for (; groups > 0; --groups, c += COUNT * n) {
    words<n> sums[vectors];
#pragma GCC unroll 4
    for (int i = 0; i < COUNT; ++i) sums[i] = words<n>{} - static_cast<std::uint32_t>(t.zeros);
    if constexpr (kBytesInWords && COUNT == 4) {
      if (t.taps_h * t.taps_w <= kMaxTapsInHalves) {
        add_window_in_halves(sums, x + c, t);
      } else {
        add_window(sums, x + c, t);
      }
    } else {
      add_window(sums, x + c, t);
    }
#pragma GCC unroll 4
    for (int i = 0; i < COUNT; ++i) {
      const Index channel = c + i * n;
      store(y + channel, epilogue(int8_mean<V>(sums[i], t.step, t.divisor), at + channel, channel));
    }
  }
  return c;
}

// The channels [own.begin, own.end) of one output.
template <class T, class Y, class Epilogue>
[[gnu::noinline]] void average_int8_pixel(const T* x, const Int8AverageWindow& given_window,
                                          Span own, Y* y, Index at, const Epilogue& given) {
  // Copies, since the stores might alias references.
  const Epilogue epilogue = given;
  const Int8AverageWindow t = given_window;
  Index c = average_int8_channels<vfloat, 4>(x, t, own.begin, own.end, y, at, epilogue);
  c = average_int8_channels<vfloat, 1>(x, t, c, own.end, y, at, epilogue);
  if constexpr (kLanes >= 16)
    c = average_int8_channels<vec<8>, 1>(x, t, c, own.end, y, at, epilogue);
  if constexpr (kLanes >= 8)
    c = average_int8_channels<vec<4>, 1>(x, t, c, own.end, y, at, epilogue);
  if constexpr (kLanes > 1) average_int8_channels<float, 1>(x, t, c, own.end, y, at, epilogue);
}

// x: [batch, in_h, in_w, channels].  y: [batch, out_h, out_w, channels], what the epilogue makes of
// the means.  s: as for average_pool2d_nhwc without ldx and ldy; zero, step; fewer than 2^23 taps.
// Divisible.
template <class S, class T, class Y, class Epilogue = NoEpilogue>
void average_pool2d_int8_nhwc(S s, const T* x, Y* y, Epilogue epilogue = {}) {
  static_assert(sizeof(T) == 1, "");
  Int8AverageWindow t;
  t.step_h = s.dilation_h * s.in_w * s.channels;
  t.step_w = s.dilation_w * s.channels;
  t.step = s.step;
  const Span rows = chunk_range(s, s.batch * s.out_h);
  for (Index row = rows.begin; row < rows.end; ++row) {
    const Index oh = row % s.out_h;
    const TapRange v = tap_range(vertical_axis(s), oh);
    const Index first =
        row / s.out_h * s.in_h + oh * s.stride_h - s.pad_top + v.first * s.dilation_h;
    for (Index ow = 0; ow < s.out_w; ++ow) {
      const TapRange h = tap_range(horizontal_axis(s), ow);
      const Index column = ow * s.stride_w - s.pad_left + h.first * s.dilation_w;
      const bool empty = v.count == 0 || h.count == 0;
      t.taps_h = empty ? 0 : v.count;
      t.taps_w = h.count;
      t.zeros = sum_of_zeros(t.taps_h * t.taps_w, s.zero);
      t.divisor = static_cast<float>(average_divisor(s, v, h, oh, ow));
      const Index at = (row * s.out_w + ow) * s.channels;
      average_int8_pixel(empty ? x : x + (first * s.in_w + column) * s.channels, t, {0, s.channels},
                         y + at, at, epilogue);
    }
  }
}

template <class W>
[[gnu::always_inline]] inline std::uint32_t sum_of_lanes(W sums) {
  if constexpr (lanes<W> == 1) {
    return sums;
  } else {
    words<lanes<W> / 2> halves[2];
    std::memcpy(halves, &sums, sizeof sums);
    return sum_of_lanes(halves[0] + halves[1]);
  }
}

template <class T>
[[gnu::always_inline]] inline std::uint32_t sum_of_bytes(const T* x, Index count) {
  Index i = 0;
  vwords sums{};
  for (; i + kLanes <= count; i += kLanes) sums += widen<kLanes>(x + i);
  std::uint32_t total = sum_of_lanes(sums);
  for (; i < count; ++i) total += static_cast<std::uint32_t>(std::int32_t{x[i]});
  return total;
}

// The means of rows of bytes, as many as V has lanes. y and at belong to channel 0.
template <class V, class S, class T, class Y, class Epilogue>
[[gnu::always_inline]] inline void average_int8_rows(const S& s, const T* x, Index c, Y* y,
                                                     Index at, const Epilogue& epilogue) {
  constexpr std::size_t rows = static_cast<std::size_t>(lanes<V>);
  const auto zeros = static_cast<std::uint32_t>(sum_of_zeros(s.positions, s.zero));
  std::uint32_t sums[rows];
  for (std::size_t i = 0; i < rows; ++i)
    sums[i] = sum_of_bytes(x + (c + static_cast<Index>(i)) * s.positions, s.positions) - zeros;
  words<lanes<V>> all;
  std::memcpy(&all, sums, sizeof all);
  const V mean = int8_mean<V>(all, s.step, static_cast<float>(s.positions));
  store(y + c, epilogue(mean, at + c, c));
}

// x: [batch, channels, positions] or with channels at the end, y: [batch, channels], what the
// epilogue makes of the means.  s: batch, channels, positions > 0 and < 2^23, channels_last; zero,
// step. Divisible.
template <class S, class T, class Y, class Epilogue>
void global_average_pool_int8(S s, const T* x, Y* y, Epilogue epilogue) {
  static_assert(sizeof(T) == 1, "");
  const Span own = chunk_range(s, s.channels, 4 * kLanes);
  const std::int32_t zeros = sum_of_zeros(s.positions, s.zero);
  const float divisor = static_cast<float>(s.positions);
  for (Index n = 0; n < s.batch; ++n, x += s.channels * s.positions) {
    const Index at = n * s.channels;
    if (s.channels_last) {
      average_int8_pixel(x, {1, s.positions, 0, s.channels, zeros, s.step, divisor}, own, y + at,
                         at, epilogue);
      continue;
    }
    Index c = own.begin;
    for (; c + kLanes <= own.end; c += kLanes)
      average_int8_rows<vfloat>(s, x, c, y + at, at, epilogue);
    for (; c < own.end; ++c) average_int8_rows<float>(s, x, c, y + at, at, epilogue);
  }
}

}  // namespace onnxc
