// conv_grad_weights_nhwc.hpp - the derivative of a convolution of channels-last images by its
// weights.
//
// What the taps read is gathered, one row for each position of the output; the weights' derivative
// is the product of these rows, transposed, and the output's derivative.
#pragma once

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv_geometry.hpp"
#include "templates/matmul/outer_products.hpp"

namespace onnxc {

// Floats of gathered rows that stay in the second-level cache, and the most of one row.
constexpr Index kGatheredFloats2d = 32 * 1024, kGatheredRow = 1024;

// Positions gathered at a time, and the floats that they take; width: in_c / group * taps.
template <class N>
constexpr N gathered_rows(const N& width) {
  return fitting(kGatheredFloats2d, min_extent(width, N(kGatheredRow)));
}
template <class N>
constexpr N gathered_floats(const N& positions, const N& width) {
  return min_extent(positions, gathered_rows(width)) * min_extent(width, N(kGatheredRow));
}

// A position of the output: image, row and column.
struct OutputPixel {
  Index n, h, w;
};

template <class S>
void next_pixel(const S& s, OutputPixel& p) {
  if (++p.w < s.out_w) return;
  p.w = 0;
  if (++p.h < s.out_h) return;
  p.h = 0;
  ++p.n;
}

// The columns [own.begin, own.end) of the rows of `count` positions from `at` on, for the channels
// from c0 on: tap by tap, the channels of each together; zeros outside the image.
template <class S>
void gather_rows(const S& s, const float* x, Index c0, Span own, OutputPixel at, Index count,
                 float* to) {
  const Index channels = s.in_c / s.group, first = own.begin / channels;
  for (Index i = 0; i < count; ++i, next_pixel(s, at)) {
    const float* image = x + at.n * s.in_h * s.in_w * s.ldx + c0;
    Index c = own.begin - first * channels;
    for (Index tap = first, left = own.size(); left > 0; ++tap, c = 0) {
      const Index run = channels - c < left ? channels - c : left;
      const Index h = at.h * s.stride_h - s.pad_top + tap / s.k_w * s.dilation_h;
      const Index w = at.w * s.stride_w - s.pad_left + tap % s.k_w * s.dilation_w;
      const bool inside = h >= 0 && h < s.in_h && w >= 0 && w < s.in_w;
      const float* from = image + (inside ? (h * s.in_w + w) * s.ldx + c : 0);
      for_lanes(run, [&](Index k, auto lane) {
        using V = decltype(lane);
        store(to + k, inside ? load<V>(from + k) : V{});
      });
      to += run;
      left -= run;
    }
  }
}

// Whether the gathered rows are the pixels of x.
template <class S>
bool meets_pixels(const S& s) {
  return s.k_h == 1 && s.k_w == 1 && s.stride_h == 1 && s.stride_w == 1 && s.pad_top == 0 &&
         s.pad_left == 0 && s.out_h == s.in_h && s.out_w == s.in_w;
}

// Rows [own.begin, own.end) of the sums of one group: sums [in_c / group * taps, out_c / group].
template <class S>
void sum_outer_products(const S& s, const float* x, const float* dy, Index g, Span own, float* sums,
                        float* gathered) {
  const Index out_c = s.out_c / s.group, c0 = g * (s.in_c / s.group);
  const Index positions = s.batch * s.out_h * s.out_w;
  const bool direct = meets_pixels(s);
  const Index most = gathered_rows<Index>(s.in_c / s.group * s.k_h * s.k_w);
  OutputPixel at = {0, 0, 0};
  for (Index p = 0; p < positions; p += most) {
    const Index depth = positions - p < most ? positions - p : most;
    const float* rows = x + p * s.ldx + c0 + own.begin;
    if (!direct) {
      gather_rows(s, x, c0, own, at, depth, gathered);
      const Index next = p + depth;
      at = {next / (s.out_h * s.out_w), next / s.out_w % s.out_h, next % s.out_w};
      rows = gathered;
    }
    outer_products({rows, dy + p * s.ldy + g * out_c, sums + own.begin * out_c, depth, own.size(),
                    out_c, direct ? s.ldx : own.size(), s.ldy, out_c, p > 0});
  }
}

// x: [batch, in_h, in_w, in_c], pixels ldx apart. dy: [batch, out_h, out_w, out_c], pixels ldy
// apart. dw: [out_c, in_c / group, k_h, k_w]. sums: as many floats as dw; gathered: gathered_floats
// for each thread. s: members of conv2d_nhwc. Divisible; a sum is
// never divided.
template <class S>
void conv_grad_weights_nhwc(S s, const float* x, const float* dy, float* dw, float* sums,
                            float* gathered) {
  const Index channels = s.in_c / s.group, out_c = s.out_c / s.group, taps = s.k_h * s.k_w;
  const Index width = channels * taps;
  const Span own = chunk_range(s, width, 12);
  const bool empty = s.batch * s.out_h * s.out_w == 0;
  for (Index g = 0; g < s.group; ++g, sums += width * out_c) {
    for (Index i = own.begin; i < own.end && !empty; i += kGatheredRow) {
      const Index end = own.end - i < kGatheredRow ? own.end : i + kGatheredRow;
      sum_outer_products(s, x, dy, g, {i, end}, sums, gathered);
    }
    for (Index m = 0; m < out_c; ++m) {
      float* const to = dw + (g * out_c + m) * width;
      for (Index i = own.begin; i < own.end; ++i)
        to[i % channels * taps + i / channels] = empty ? 0.0f : sums[i * out_c + m];
    }
  }
}

// The sums of one tap of a depthwise convolution over one image, for some channels. x and dy are at
// the first of these channels.
template <class V, class S>
[[gnu::always_inline]] inline V depthwise_tap(const S& s, const float* x, const float* dy, Index kh,
                                              Index kw, V sum) {
  const ConvAxis across = horizontal_axis(s);
  const Index shift_w = kw * s.dilation_w - s.pad_left;
  const Index begin = shift_w < 0 ? (across.stride - 1 - shift_w) / across.stride : 0;
  const Index reach = s.in_w - shift_w;
  const Index last = reach <= 0 ? 0 : (reach + across.stride - 1) / across.stride;
  const Index end = last < s.out_w ? last : s.out_w;
  V part[2] = {};
  for (Index oh = 0; oh < s.out_h; ++oh) {
    const Index h = oh * s.stride_h - s.pad_top + kh * s.dilation_h;
    if (h < 0 || h >= s.in_h) continue;
    const float* from = x + (h * s.in_w + shift_w) * s.ldx;
    const float* by = dy + oh * s.out_w * s.ldy;
    Index ow = begin;
    for (; ow + 2 <= end; ow += 2) {
#pragma GCC unroll 2
      for (Index u = 0; u < 2; ++u)
        part[u] += load<V>(from + (ow + u) * s.stride_w * s.ldx) * load<V>(by + (ow + u) * s.ldy);
    }
    if (ow < end) part[0] += load<V>(from + ow * s.stride_w * s.ldx) * load<V>(by + ow * s.ldy);
  }
  return sum + (part[0] + part[1]);
}

// The same for a depthwise convolution: as many groups as channels of x and of y. sums: taps *
// channels floats.
template <class S>
void depthwise_grad_weights_nhwc(S s, const float* x, const float* dy, float* dw, float* sums) {
  const Index taps = s.k_h * s.k_w;
  const Span own = chunk_range(s, s.out_c, kLanes);
  for (Index i = own.begin; i < own.end; ++i) {
    for (Index tap = 0; tap < taps; ++tap) sums[tap * s.out_c + i] = 0.0f;
  }
  for (Index n = 0; n < s.batch; ++n) {
    const float* image = x + n * s.in_h * s.in_w * s.ldx + own.begin;
    const float* by = dy + n * s.out_h * s.out_w * s.ldy + own.begin;
    for_lanes(own.size(), [&](Index c, auto lane) {
      using V = decltype(lane);
      for (Index tap = 0; tap < taps; ++tap) {
        float* const to = sums + tap * s.out_c + own.begin + c;
        store(to, depthwise_tap<V>(s, image + c, by + c, tap / s.k_w, tap % s.k_w, load<V>(to)));
      }
    });
  }
  for (Index i = own.begin; i < own.end; ++i) {
    for (Index tap = 0; tap < taps; ++tap) dw[i * taps + tap] = sums[tap * s.out_c + i];
  }
}

// The same straight from the definition, without scratch: for targets whose memory is small. Four
// output channels share what a tap reads.
template <class S>
void conv_grad_weights_each(S s, const float* x, const float* dy, float* dw) {
  const Index channels = s.in_c / s.group, out_c = s.out_c / s.group, taps = s.k_h * s.k_w;
  const Span own = chunk_range(s, s.out_c);
  for (Index m = own.begin; m < own.end;) {
    const Index g = m / out_c, in_group = (g + 1) * out_c - m, left = own.end - m;
    const Index count = in_group < left ? in_group : left;
    const Index rows = count < 4 ? 1 : 4;
    for (Index i = 0; i < channels * taps; ++i) {
      float sum[4] = {};
      const Index tap = i % taps, c = g * channels + i / taps;
      const Index shift_w = tap % s.k_w * s.dilation_w - s.pad_left;
      for (Index row = 0; row < s.batch * s.out_h; ++row) {
        const Index h = row % s.out_h * s.stride_h - s.pad_top + tap / s.k_w * s.dilation_h;
        if (h < 0 || h >= s.in_h) continue;
        const float* from = x + (row / s.out_h * s.in_h + h) * s.in_w * s.ldx + c;
        const float* by = dy + row * s.out_w * s.ldy + m;
        for (Index ow = 0; ow < s.out_w; ++ow, by += s.ldy) {
          const Index w = ow * s.stride_w + shift_w;
          if (w < 0 || w >= s.in_w) continue;
          const float v = from[w * s.ldx];
          sum[0] += v * by[0];
          for (Index r = 1; r < rows; ++r) sum[r] += v * by[r];
        }
      }
      for (Index r = 0; r < rows; ++r) dw[(m + r) * channels * taps + i] = sum[r];
    }
    m += rows;
  }
}

}  // namespace onnxc
