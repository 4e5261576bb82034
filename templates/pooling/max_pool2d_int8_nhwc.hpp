// max_pool2d_int8_nhwc.hpp - maximum of windows of channels-last images of 8-bit integers.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/simd_int8_words.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv_geometry.hpp"

namespace onnxc {

// The taps of one output inside the image.
struct Int8PoolWindow {
  Index taps_h, taps_w, step_h, step_w;
};

// 16 channels at a time from c on; returns the first channel left over.
template <class T>
inline Index max_int8(const T* x, const Int8PoolWindow& t, Index c, Index channels, T* y) {
  using Bytes = bytes_of<16, T>;
  for (; c + 16 <= channels; c += 16) {
    Bytes most = Bytes{} + std::numeric_limits<T>::min();
    for (Index h = 0; h < t.taps_h; ++h)
      for (Index w = 0; w < t.taps_w; ++w) {
        Bytes v;
        std::memcpy(&v, x + h * t.step_h + w * t.step_w + c, sizeof v);
        most = select(greater_than(most, v), most, v);
      }
    std::memcpy(y + c, &most, sizeof most);
  }
  return c;
}

// The same four channels at a time, in a general register.
template <class T>
inline Index max_int8_words(const T* x, const Int8PoolWindow& t, Index c, Index channels, T* y) {
  constexpr std::uint32_t kLowest = std::is_signed_v<T> ? 0x80808080u : 0u;
  for (; c + 4 <= channels; c += 4) {
    std::uint32_t most = kLowest;
    for (Index h = 0; h < t.taps_h; ++h)
      for (Index w = 0; w < t.taps_w; ++w) {
        std::uint32_t v;
        std::memcpy(&v, x + h * t.step_h + w * t.step_w + c, sizeof v);
        most = larger_bytes<T>(most, v);
      }
    std::memcpy(y + c, &most, sizeof most);
  }
  return c;
}

template <class T>
void max_pool_int8_pixel(const T* x, const Int8PoolWindow& t, Index channels, T* y) {
  constexpr Index together = kLanes > 1 ? 16 : kBytesInWords ? 4 : 1;
  Index c = 0;
  if constexpr (together > 1) {
    const auto several = [&](Index from) {
      if constexpr (kLanes > 1) {
        return max_int8(x, t, from, channels, y);
      } else {
        return max_int8_words(x, t, from, channels, y);
      }
    };
    c = several(0);
    if (c < channels && channels >= together) {
      // The last ones may be computed twice.
      several(channels - together);
      return;
    }
  }
  for (; c < channels; ++c) {
    T most = std::numeric_limits<T>::min();
    for (Index h = 0; h < t.taps_h; ++h)
      for (Index w = 0; w < t.taps_w; ++w) {
        const T v = x[h * t.step_h + w * t.step_w + c];
        most = select(greater_than(most, v), most, v);
      }
    y[c] = most;
  }
}

// x: [batch, in_h, in_w, channels].  y: [batch, out_h, out_w, channels].  A window without input
// gives the lowest value. s: batch, in_h, in_w, channels, out_h, out_w, k_h, k_w, stride_h,
// stride_w, dilation_h, dilation_w, pad_top, pad_left. Divisible.
template <class S, class T>
void max_pool2d_int8_nhwc(S s, const T* x, T* y) {
  const Span own = chunk_range(s, s.batch * s.out_h);
  for (Index row = own.begin; row < own.end; ++row) {
    const Index n = row / s.out_h, oh = row % s.out_h;
    const TapRange v = tap_range(vertical_axis(s), oh);
    const Index first = n * s.in_h + oh * s.stride_h - s.pad_top + v.first * s.dilation_h;
    for (Index ow = 0; ow < s.out_w; ++ow) {
      const TapRange h = tap_range(horizontal_axis(s), ow);
      const Index column = ow * s.stride_w - s.pad_left + h.first * s.dilation_w;
      const bool empty = v.count == 0 || h.count == 0;
      const Int8PoolWindow t = {empty ? 0 : v.count, h.count, s.dilation_h * s.in_w * s.channels,
                                s.dilation_w * s.channels};
      max_pool_int8_pixel(empty ? x : x + (first * s.in_w + column) * s.channels, t, s.channels,
                          y + (row * s.out_w + ow) * s.channels);
    }
  }
}

}  // namespace onnxc
