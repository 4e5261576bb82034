// gather_taps_int8.hpp - second half of a transposed convolution of channels-last images of 8-bit
// integers: adds the products that reach each output. Sums are exact.
#pragma once

#include <cstdint>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv_geometry.hpp"
#include "templates/matmul/int8_tile.hpp"

namespace onnxc {

// One output pixel: the products of its image, and what its sums start from, or null.
template <class Y>
struct Int8Taps {
  const std::int32_t *products, *bias;
  Y* y;
  Index at, oh, ow;
};

// The input that reaches an output by a tap, or -1.
constexpr Index input_by_tap(const ConvAxis& a, Index out, Index tap) {
  const Index at = out + a.pad - tap * a.dilation;
  if (at < 0 || at % a.stride != 0) return -1;
  return at / a.stride < a.in ? at / a.stride : -1;
}

// COUNT vectors of channels at a time from channel c on; returns the first one left over.
template <class V, int COUNT, class S, class Y, class Epilogue>
[[gnu::always_inline]] inline Index gather_int8_channels(const S& s, const Int8Taps<Y>& t, Index c,
                                                         const Epilogue& epilogue) {
  constexpr int n = lanes<V>;
  constexpr std::size_t vectors = COUNT;
  using W = words<n>;
  for (; c + COUNT * n <= s.channels; c += COUNT * n) {
    W sums[vectors];
#pragma GCC unroll 4
    for (int i = 0; i < COUNT; ++i)
      sums[i] = t.bias != nullptr ? load_words<W>(t.bias + c + i * n) : W{};
    for (Index h = 0; h < s.k_h; ++h) {
      const Index row = input_by_tap(vertical_axis(s), t.oh, h);
      if (row < 0) continue;
      for (Index w = 0; w < s.k_w; ++w) {
        const Index column = input_by_tap(horizontal_axis(s), t.ow, w);
        if (column < 0) continue;
        const Index tap = ((row * s.in_w + column) * s.k_h + h) * s.k_w + w;
        const std::int32_t* from = t.products + tap * s.channels + c;
#pragma GCC unroll 4
        for (int i = 0; i < COUNT; ++i) sums[i] += load_words<W>(from + i * n);
      }
    }
#pragma GCC unroll 4
    for (int i = 0; i < COUNT; ++i) {
      const Index channel = c + i * n;
      finish_sums<V>(sums[i], n, t.y + channel, t.at + channel, channel, epilogue);
    }
  }
  return c;
}

// products: [batch, in_h, in_w, k_h, k_w, channels].  bias: [channels] or null.  y: [batch, out_h,
// out_w, channels]: int32 for the sums themselves, else what the epilogue makes of them.  s: batch,
// in_h, in_w, channels, out_h, out_w, k_h, k_w, stride_h, stride_w, dilation_h, dilation_w,
// pad_top, pad_left. Divisible.
template <class S, class Y, class Epilogue = NoEpilogue>
[[gnu::noinline]] void gather_taps_int8(S s, const std::int32_t* products, const std::int32_t* bias,
                                        Y* y, Epilogue epilogue = {}) {
  const Span own = chunk_range(s, s.batch * s.out_h);
  for (Index row = own.begin; row < own.end; ++row) {
    const Index image = row / s.out_h * s.in_h * s.in_w * s.k_h * s.k_w * s.channels;
    for (Index ow = 0; ow < s.out_w; ++ow) {
      const Index at = (row * s.out_w + ow) * s.channels;
      const Int8Taps<Y> t = {products + image, bias, y + at, at, row % s.out_h, ow};
      Index c = gather_int8_channels<vfloat, 4>(s, t, 0, epilogue);
      c = gather_int8_channels<vfloat, 1>(s, t, c, epilogue);
      if constexpr (kLanes >= 16) c = gather_int8_channels<vec<8>, 1>(s, t, c, epilogue);
      if constexpr (kLanes >= 8) c = gather_int8_channels<vec<4>, 1>(s, t, c, epilogue);
      if constexpr (kLanes > 1) gather_int8_channels<float, 1>(s, t, c, epilogue);
    }
  }
}

}  // namespace onnxc
