// max_pool2d_grad_nhwc.hpp - the derivative of the maximum of windows of channels-last images.
#pragma once

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv_geometry.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

// One window: x and dx are at its first tap inside the image, dy at its derivative.
struct PoolGradWindow {
  const float *x, *dy;
  float* dx;
  Index taps_h, taps_w, x_step_h, x_step_w, dx_step_h, dx_step_w;
  bool alone;  // no other window has these taps
};

// Some channels from c on. The first of equal elements is the largest, and so is the first NaN.
template <class V>
[[gnu::always_inline]] inline void pool_grad_channels(const PoolGradWindow& t, Index c) {
  V best = load<V>(t.x + c), where{};
  float tap = 0.0f;
  for (Index h = 0; h < t.taps_h; ++h) {
    for (Index w = 0; w < t.taps_w; ++w, tap += 1.0f) {
      const V v = load<V>(t.x + h * t.x_step_h + w * t.x_step_w + c), here = broadcast<V>(tap);
      const V next = select(not_equal_to(v, v), here, select(greater_than(v, best), here, where));
      where = select(not_equal_to(best, best), where, next);
      best = max(best, v);
    }
  }
  const V dy = load<V>(t.dy + c);
  tap = 0.0f;
  for (Index h = 0; h < t.taps_h; ++h) {
    for (Index w = 0; w < t.taps_w; ++w, tap += 1.0f) {
      float* const dx = t.dx + h * t.dx_step_h + w * t.dx_step_w + c;
      const V own = select(not_equal_to(where, broadcast<V>(tap)), V{}, dy);
      store(dx, t.alone ? own : load<V>(dx) + own);
    }
  }
}

// The output rows of one image, channels [own.begin, own.end).
template <class S>
void pool_grad_image(const S& s, const float* x, const float* dy, float* dx, Span own, bool alone) {
  PoolGradWindow t;
  t.x_step_h = s.dilation_h * s.in_w * s.ldx;
  t.x_step_w = s.dilation_w * s.ldx;
  t.dx_step_h = s.dilation_h * s.in_w * s.ldy;
  t.dx_step_w = s.dilation_w * s.ldy;
  t.alone = alone;
  t.dy = dy + own.begin;
  for (Index oh = 0; oh < s.out_h; ++oh) {
    const TapRange v = tap_range(vertical_axis(s), oh);
    const Index row = oh * s.stride_h - s.pad_top + v.first * s.dilation_h;
    for (Index ow = 0; ow < s.out_w; ++ow, t.dy += s.channels) {
      const TapRange h = tap_range(horizontal_axis(s), ow);
      if (v.count == 0 || h.count == 0) continue;
      const Index pixel = row * s.in_w + ow * s.stride_w - s.pad_left + h.first * s.dilation_w;
      t.x = x + pixel * s.ldx + own.begin;
      t.dx = dx + pixel * s.ldy + own.begin;
      t.taps_h = v.count;
      t.taps_w = h.count;
      for_lanes(own.size(), [&](Index c, auto lane) { pool_grad_channels<decltype(lane)>(t, c); });
    }
  }
}

// Whether every element is in exactly one window.
template <class S>
bool windows_tile(const S& s) {
  return s.stride_h == s.k_h && s.stride_w == s.k_w && s.dilation_h == 1 && s.dilation_w == 1 &&
         s.pad_top == 0 && s.pad_left == 0 && s.out_h * s.k_h == s.in_h &&
         s.out_w * s.k_w == s.in_w;
}

// dy: [batch, out_h, out_w, channels], x, dx: [batch, in_h, in_w, channels]. A window without input
// has no derivative. s: members of max_pool2d_nhwc; ldx, ldy: floats from one pixel of x or dx to
// the next. Divisible.
template <class S, class Epilogue = NoEpilogue>
void max_pool2d_grad_nhwc(S s, const float* dy, const float* x, float* dx, Epilogue epilogue = {}) {
  const Index pixels = s.in_h * s.in_w, groups = (s.channels + kLanes - 1) / kLanes;
  const auto [images, columns] = chunk_grid(chunk_of(s), s.batch, pixels, groups, kLanes);
  const Index end = columns.end * kLanes < s.channels ? columns.end * kLanes : s.channels;
  const Span own = {columns.begin * kLanes < end ? columns.begin * kLanes : end, end};
  const bool alone = windows_tile(s);
  for (Index n = images.begin; n < images.end && own.size() > 0; ++n) {
    float* const to = dx + n * pixels * s.ldy;
    for (Index p = 0; p < pixels && !alone; ++p) {
      for (Index c = own.begin; c < own.end; ++c) to[p * s.ldy + c] = 0.0f;
    }
    pool_grad_image(s, x + n * pixels * s.ldx, dy + n * s.out_h * s.out_w * s.channels, to, own,
                    alone);
    if constexpr (has_epilogue<Epilogue>) {
      for (Index p = 0; p < pixels; ++p)
        epilogue_row(to + p * s.ldy + own.begin, (n * pixels + p) * s.channels + own.begin,
                     own.begin, own.size(), epilogue);
    }
  }
}

}  // namespace onnxc
