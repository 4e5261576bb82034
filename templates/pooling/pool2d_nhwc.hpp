// pool2d_nhwc.hpp - maximum and average of windows of channels-last float images.
#pragma once

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv_geometry.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

// One output pixel: x is the first tap inside the image.
struct PoolOperands {
  const float* x;
  float* y;
  Index channels, taps_h, taps_w, x_step_h, x_step_w;
  float factor;
};

struct PoolMax {
  template <class V>
  static V start() {
    return broadcast<V>(-kInfinity);
  }
  template <class V>
  static V add(V total, V x) {
    return max(total, x);
  }
  template <class V>
  static V finish(V total, float) {
    return total;
  }
};

struct PoolAverage {
  template <class V>
  static V start() {
    return V{};
  }
  template <class V>
  static V add(V total, V x) {
    return total + x;
  }
  template <class V>
  static V finish(V total, float factor) {
    return total * factor;
  }
};

// COUNT vectors at a time from channel c on; returns the first channel left over.
template <class Op, class V, int COUNT>
[[gnu::always_inline]] inline Index pool_channels(const PoolOperands& t, Index c) {
  constexpr std::size_t vectors = COUNT;
  constexpr Index width = COUNT * lanes<V>;
  for (; c + width <= t.channels; c += width) {
    V total[vectors];
#pragma GCC unroll 4
    for (int i = 0; i < COUNT; ++i) total[i] = Op::template start<V>();
    for (Index h = 0; h < t.taps_h; ++h) {
      for (Index w = 0; w < t.taps_w; ++w) {
        const float* x = t.x + h * t.x_step_h + w * t.x_step_w + c;
#pragma GCC unroll 4
        for (int i = 0; i < COUNT; ++i) total[i] = Op::add(total[i], load<V>(x + i * lanes<V>));
      }
    }
#pragma GCC unroll 4
    for (int i = 0; i < COUNT; ++i) store(t.y + c + i * lanes<V>, Op::finish(total[i], t.factor));
  }
  return c;
}

template <class Op>
[[gnu::noinline]] void pool_pixel(const PoolOperands& t) {
  Index c = pool_channels<Op, vfloat, 4>(t, 0);
  c = pool_channels<Op, vfloat, 1>(t, c);
  if (c == t.channels) return;
  // The last vector may overlap the one before.
  if (t.channels >= kLanes) {
    pool_channels<Op, vfloat, 1>(t, t.channels - kLanes);
  } else if constexpr (kLanes > 1) {
    pool_channels<Op, float, 1>(t, c);
  }
}

// divisor(v, h, oh, ow): by what the sum of the taps v and h of an output is divided.
template <class Op, class S, class Divisor, class Epilogue>
void pool2d_nhwc(const S& s, const float* x, float* y, Divisor divisor, Epilogue& epilogue) {
  PoolOperands t;
  t.channels = s.channels;
  t.x_step_h = s.dilation_h * s.in_w * s.ldx;
  t.x_step_w = s.dilation_w * s.ldx;
  const Span rows = chunk_range(s, s.batch * s.out_h);
  Index at = rows.begin * s.out_w * s.channels;
  y += rows.begin * s.out_w * s.ldy;
  for (Index i = rows.begin; i < rows.end; ++i) {
    const Index oh = i % s.out_h;
    const float* image = x + i / s.out_h * s.in_h * s.in_w * s.ldx;
    const TapRange v = tap_range(vertical_axis(s), oh);
    const Index row = oh * s.stride_h - s.pad_top + v.first * s.dilation_h;
    for (Index ow = 0; ow < s.out_w; ++ow, at += s.channels, y += s.ldy) {
      const TapRange h = tap_range(horizontal_axis(s), ow);
      const Index column = ow * s.stride_w - s.pad_left + h.first * s.dilation_w;
      const bool empty = v.count == 0 || h.count == 0;
      t.x = empty ? image : image + (row * s.in_w + column) * s.ldx;
      t.y = y;
      t.taps_h = empty ? 0 : v.count;
      t.taps_w = h.count;
      t.factor = 1.0f / static_cast<float>(divisor(v, h, oh, ow));
      pool_pixel<Op>(t);
      if constexpr (has_epilogue<Epilogue>) epilogue_row(y, at, 0, s.channels, epilogue);
    }
  }
}

// x: [batch, in_h, in_w, channels].  y: [batch, out_h, out_w, channels].  A window without input
// gives -infinity. s: batch, in_h, in_w, channels, out_h, out_w, k_h, k_w, stride_h, stride_w,
// dilation_h, dilation_w, pad_top, pad_left; ldx, ldy: floats from one pixel to the next.
// Divisible.
template <class S, class Epilogue = NoEpilogue>
void max_pool2d_nhwc(S s, const float* x, float* y, Epilogue epilogue = {}) {
  pool2d_nhwc<PoolMax>(
      s, x, y, [](TapRange, TapRange, Index, Index) { return 1; }, epilogue);
}

// The taps of an axis that are inside the image and its pads.
constexpr Index padded_count(const ConvAxis& a, Index out, Index pad_end) {
  return tap_range({a.in + a.pad + pad_end, a.out, a.taps, a.stride, a.dilation, 0}, out).count;
}

// By what the sum of the taps v and h of an output is divided. A window that reaches beyond the
// pads, as rounding up the output size allows, counts only its part inside them.
template <class S>
Index average_divisor(const S& s, TapRange v, TapRange h, Index oh, Index ow) {
  if (!s.count_include_pad) return v.count * h.count;
  return padded_count(vertical_axis(s), oh, s.pad_bottom) *
         padded_count(horizontal_axis(s), ow, s.pad_right);
}

// s: as for max_pool2d_nhwc, and pad_bottom, pad_right, count_include_pad. Divisible.
template <class S, class Epilogue = NoEpilogue>
void average_pool2d_nhwc(S s, const float* x, float* y, Epilogue epilogue = {}) {
  const auto divisor = [&](TapRange v, TapRange h, Index oh, Index ow) {
    return average_divisor(s, v, h, oh, ow);
  };
  pool2d_nhwc<PoolAverage>(s, x, y, divisor, epilogue);
}

// x: [batch, positions, channels].  y: [batch, channels].  s: batch, positions, channels.
// Divisible.
template <class S, class Epilogue = NoEpilogue>
void global_average_pool_nhwc(S s, const float* x, float* y, Epilogue epilogue = {}) {
  const Span own = chunk_range(s, s.channels, 4 * kLanes);
  for (Index n = 0; n < s.batch && own.size() > 0; ++n) {
    const Index at = n * s.channels + own.begin;
    pool_pixel<PoolAverage>({x + n * s.channels * s.positions + own.begin, y + at, own.size(), 1,
                             s.positions, 0, s.channels, 1.0f / static_cast<float>(s.positions)});
    if constexpr (has_epilogue<Epilogue>) epilogue_row(y + at, at, own.begin, own.size(), epilogue);
  }
}

}  // namespace onnxc
